import { describe, expect, test } from "vitest";
import { type Score, type SongRequest, writeScore } from "../../../emulator/audio/score.js";
import { readStyle, SCALES } from "../../../emulator/audio/style.js";

const PROMPTS = [
  ..."rain in Lisbon, dark techno, jazz trio with piano, slow blues, heavy metal, ambient space".split(", "),
  ..."lofi beats to study to, waltz, trap, bossa nova, happy summer pop, funk".split(", "),
  ..."epic orchestral, reggae, chiptune, 夜の雨".split(", "),
  "",
];

function scoreOf(request: Partial<SongRequest>): Score {
  return writeScore({ text: "", lyrics: "", seed: 1, durationSeconds: 30, instrumental: false, ...request });
}

function part({ parts }: Score, wanted: string) {
  const found = parts.find(({ role }) => role === wanted);
  return { instrument: found?.instrument, notes: found?.notes ?? [] };
}

describe.each(PROMPTS)("a score about %j", (text) => {
  const scores = [1, 2, 3].map((seed) => scoreOf({ text, seed }));

  test("has an intro, a verse, a chorus, an outro and a last chord", () => {
    for (const { bars, beatsPerBar, beatsPerMinute } of scores) {
      const sections = bars.map(({ section }) => section);
      expect([sections.at(0), sections.at(-2), sections.at(-1)]).toEqual(["intro", "outro", "ending"]);
      expect(sections).toEqual(expect.arrayContaining(["verse", "chorus"]));
      expect(bars.map(({ startBeat }) => startBeat)).toEqual(bars.map((_, bar) => bar * beatsPerBar));
      const seconds = ((bars.at(-1)?.startBeat ?? 0) * 60) / beatsPerMinute;
      expect(seconds).toBeGreaterThan(22);
      expect(seconds).toBeLessThan(30);
    }
  });

  test("has a tune in its key, and ends on its tonic in the bass", () => {
    for (const score of scores) {
      const key: number[] = SCALES[score.scale].steps.map((step) => (score.tonic + step) % 12);
      const pitches = part(score, "tune").notes.map(({ pitch }) => pitch % 12);
      expect(pitches.length).toBeGreaterThan(8);
      expect(pitches.filter((pitch) => !key.includes(pitch)).length / pitches.length).toBeLessThan(0.25);
      expect((part(score, "bass").notes.at(-1)?.pitch ?? -1) % 12).toBe(score.tonic);
    }
  });

  test("stays within playable tempos, pitches, lengths and volumes", () => {
    for (const { beatsPerMinute, parts } of scores) {
      expect(beatsPerMinute).toBeGreaterThanOrEqual(60);
      expect(beatsPerMinute).toBeLessThanOrEqual(184);
      for (const { pitch, length, velocity } of parts.flatMap(({ notes }) => notes)) {
        expect(pitch >= 24 && pitch <= 100 && length > 0 && velocity > 0 && velocity <= 1).toBe(true);
      }
    }
  });
});

describe("a score", () => {
  test("has the same tune in its second verse", () => {
    const score = scoreOf({ text: "happy summer pop, fast", durationSeconds: 60 });
    const starts = score.bars.filter(({ section, position }) => section === "verse" && position === 0);
    const [first, second] = starts.map(({ startBeat }) =>
      part(score, "tune")
        .notes.filter(({ start }) => start >= startBeat && start < startBeat + 4 * score.beatsPerBar)
        .map(({ start, pitch }) => [start - startBeat, pitch]),
    );
    expect(first?.length).toBeGreaterThan(4);
    expect(second).toEqual(first);
  });

  test("has a sung tune, unless it is instrumental", () => {
    expect(part(scoreOf({ text: "pop" }), "tune").instrument).toBe("voice");
    expect(part(scoreOf({ text: "pop", instrumental: true }), "tune").instrument).not.toBe("voice");
  });

  test.each([1, 2, 3, 6, 10, 240])("can be %i s long", (durationSeconds) => {
    const score = scoreOf({ text: "pop", durationSeconds });
    expect(score.bars.map(({ section }) => section)).toEqual(expect.arrayContaining(["chorus", "ending"]));
    expect(part(score, "bass").notes.length).toBeGreaterThan(1);
  });
});

describe("a continuation", () => {
  const first = { text: "jazz trio with piano", lyrics: "", seed: 4 };
  const original = scoreOf(first);
  const continuation = scoreOf({ text: "another verse, techno", seed: 9, continues: first });

  test("keeps key, tempo, tune and instruments, whatever its own text says", () => {
    const identity = (score: Score) => {
      const { tonic, scale, beatsPerMinute, beatsPerBar, bars, parts } = score;
      const start = bars.find(({ section }) => section === "verse")?.startBeat ?? 0;
      const verse = part(score, "tune").notes.filter((note) => note.start >= start);
      const tune = verse.slice(0, 8).map((note) => [(note.start - start).toFixed(6), note.pitch]);
      const band = parts.map(({ instrument }) => instrument);
      return { tonic, scale, beatsPerMinute, beatsPerBar, tune, band };
    };
    expect(identity(continuation)).toEqual(identity(original));
  });

  test("begins without an intro, and is not the same performance", () => {
    expect(continuation.bars.at(0)?.section).toBe("verse");
    expect(continuation.parts).not.toEqual(original.parts);
  });
});

describe("the words of a text", () => {
  test.each([
    ["a Hip-Hop beat", "hip hop"],
    ["Lo-Fi, quiet", "lofi quiet"],
    ["drum & bass, drum and bass", "dnb"],
    ["smooth JAZZ!", "jazz"],
    ["jazz with techno drums", "jazz"],
    ["8-bit game", "chiptune"],
  ])("of %j select the style of %j", (text, genre) => {
    expect(readStyle(text, 1)).toEqual(readStyle(genre, 2));
  });

  test("match as whole words only", () => {
    expect(readStyle("rock", 1).groove.drums.kick).toBe("x.......x.x.....");
    const styles = Array.from({ length: 12 }, (_, seed) => readStyle("rocket trapeze", seed).groove);
    expect(new Set(styles).size).toBeGreaterThan(2);
  });

  test("can make the same genre slower or faster", () => {
    const [slow, plain, fast] = ["slow pop", "pop", "fast pop"].map((text) => readStyle(text, 1).tempo[1]);
    expect(slow).toBeLessThan(plain ?? 0);
    expect(fast).toBeGreaterThan(plain ?? 0);
  });

  test("select minor for sad and major for happy, whatever the seed", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(scoreOf({ text: "a sad song", seed }).scale).toBe("minor");
      expect(scoreOf({ text: "a happy song", seed }).scale).toBe("major");
    }
  });

  test("give techno a kick on every beat, ambient no drums, a waltz three beats, and jazz a swing", () => {
    const kicks = scoreOf({ text: "techno" }).hits.filter(({ drum }) => drum === "kick");
    expect(kicks.map(({ start }) => start)).toEqual(expect.arrayContaining([16, 17, 18, 19]));
    expect(scoreOf({ text: "ambient" }).hits).toEqual([]);
    expect(scoreOf({ text: "waltz" }).beatsPerBar).toBe(3);
    const rides = scoreOf({ text: "jazz" }).hits.filter(
      ({ drum, start }) => drum === "ride" && start % 1 > 0.3,
    );
    expect(rides.length).toBeGreaterThan(4);
    for (const { start } of rides) expect(start % 1).toBeGreaterThan(0.6);
  });

  test("select the instrument of the tune", () => {
    const instruments = ["violin", "sax", "flutes"].map(
      (word) => part(scoreOf({ text: `pop with ${word}`, instrumental: true }), "tune").instrument,
    );
    expect(instruments).toEqual(["violin", "sax", "flute"]);
  });

  test("give different music where they are unknown", () => {
    const texts = ["quolp", "brastle", "vennig", "zub", "trell", "marrow", "ipsit", "gant"];
    const songs = texts.map((text) => scoreOf({ text }));
    const keys = songs.map(({ tonic, beatsPerMinute, bars }) => `${tonic} ${beatsPerMinute} ${bars.length}`);
    expect(new Set(keys).size).toBe(8);
  });

  test("are taken from the lyrics only where nothing else describes the song", () => {
    expect(scoreOf({ text: "waltz", lyrics: "techno" }).beatsPerBar).toBe(3);
    expect(scoreOf({ text: " ", lyrics: "[Verse] a waltz for you" }).beatsPerBar).toBe(3);
  });
});

import { describe, expect, test } from "vitest";
import { SCALES } from "../../../emulator/audio/score/scales.js";
import type { Score } from "../../../emulator/audio/score/score.js";
import { type SongRequest, writeScore } from "../../../emulator/audio/score/write-score.js";

const PROMPTS = [
  "rain in Lisbon",
  "dark techno",
  "jazz trio with piano",
  "slow blues",
  "heavy metal",
  "ambient space",
  "lofi beats to study to",
  "waltz",
  "trap",
  "bossa nova",
  "happy summer pop",
  "funk",
  "epic orchestral",
  "reggae",
  "chiptune",
  "夜の雨",
  "",
];

function scoreOf(request: Partial<SongRequest>): Score {
  return writeScore({ text: "", seed: 1, durationSeconds: 30, instrumental: false, ...request });
}

function scoresOf(text: string): readonly Score[] {
  return [1, 2, 3].map((seed) => scoreOf({ text, seed }));
}

function part(score: Score, role: string) {
  return score.parts.find((candidate) => candidate.role === role);
}

describe("a score", () => {
  test.each(PROMPTS)("about %j has sections that follow one another without a gap", (text) => {
    for (const score of scoresOf(text)) {
      let bar = 0;
      for (const section of score.sections) {
        expect(section.startBar).toBe(bar);
        bar += section.bars;
      }
      const seconds = (bar * score.beatsPerBar * 60) / score.beatsPerMinute;
      expect(seconds).toBeLessThan(30);
      expect(seconds).toBeGreaterThan(22);
    }
  });

  test.each(PROMPTS)("about %j has an intro, a verse, a chorus and an outro", (text) => {
    for (const score of scoresOf(text)) {
      const kinds = score.sections.map(({ kind }) => kind);
      expect(kinds.at(0)).toBe("intro");
      expect(kinds.at(-1)).toBe("outro");
      expect(kinds).toContain("verse");
      expect(kinds).toContain("chorus");
    }
  });

  test.each(PROMPTS)("about %j has a tune in its key", (text) => {
    for (const score of scoresOf(text)) {
      const key = new Set(SCALES[score.scale].map((step) => (score.tonic + step) % 12));
      const tunes = score.parts.filter(({ role }) => role === "vocal" || role === "lead");
      const pitches = tunes.flatMap(({ notes }) => notes.map(({ pitch }) => pitch % 12));
      expect(pitches.length).toBeGreaterThan(8);
      expect(pitches.filter((pitch) => !key.has(pitch)).length / pitches.length).toBeLessThan(0.25);
    }
  });

  test.each(PROMPTS)("about %j ends on its key note in the bass", (text) => {
    for (const score of scoresOf(text)) {
      const bass = part(score, "bass")?.notes.toSorted((a, b) => a.start - b.start);
      expect((bass?.at(-1)?.pitch ?? 0) % 12).toBe(score.tonic);
    }
  });

  test.each(PROMPTS)("about %j stays where ears and instruments can follow", (text) => {
    for (const { beatsPerMinute, parts } of scoresOf(text)) {
      expect(beatsPerMinute).toBeGreaterThanOrEqual(60);
      expect(beatsPerMinute).toBeLessThanOrEqual(184);
      const notes = parts.flatMap((candidate) => candidate.notes);
      const unplayable = notes.filter(
        ({ pitch, length, velocity }) =>
          !(pitch >= 24 && pitch <= 100 && length > 0 && velocity > 0 && velocity <= 1),
      );
      expect(unplayable).toEqual([]);
    }
  });

  test("the second verse sings the first one's tune again", () => {
    const score = scoreOf({ text: "happy summer pop, fast", durationSeconds: 60 });
    const verses = score.sections.filter(({ kind }) => kind === "verse").slice(0, 2);
    const [first, second] = verses.map(({ startBar, bars }) => {
      const start = startBar * score.beatsPerBar;
      const notes = part(score, "vocal")?.notes ?? [];
      const sung = notes.filter(
        (note) => note.start >= start && note.start < start + bars * score.beatsPerBar,
      );
      return sung.map((note) => [note.start - start, note.pitch]);
    });
    expect(first?.length).toBeGreaterThan(4);
    expect(second).toEqual(first);
  });

  test("an instrumental has no voice, and a song has one that sings its lyrics' vowels", () => {
    const sung = scoreOf({ text: "pop", lyrics: "Moon, moon" });
    expect(new Set(part(sung, "vocal")?.notes.map(({ vowel }) => vowel))).toEqual(new Set(["o"]));
    expect(part(scoreOf({ text: "A A A", lyrics: " " }), "vocal")?.notes.at(0)?.vowel).toBe("a");
    expect(part(scoreOf({ text: "pop", instrumental: true }), "vocal")).toBeUndefined();
  });

  test.each([1, 2, 3, 6, 10, 240])("a song of %i seconds is written too", (durationSeconds) => {
    const score = scoreOf({ text: "pop", durationSeconds });
    expect(score.sections.length).toBeGreaterThan(0);
    expect(part(score, "bass")?.notes.length).toBeGreaterThan(0);
  });
});

describe("a continuation", () => {
  const first = { text: "jazz trio with piano", seed: 4 };
  const original = scoreOf(first);
  const continuation = scoreOf({ text: "another verse, techno", seed: 9, continues: first });

  test("keeps key, tempo, beat and instruments, whatever its own text asks for", () => {
    const identity = ({ tonic, scale, beatsPerMinute, kit, sound, parts }: Score) => ({
      tonic,
      scale,
      beatsPerMinute,
      kit,
      sound,
      instruments: parts.map(({ instrument }) => instrument),
    });
    expect(identity(continuation)).toEqual(identity(original));
  });

  test("begins without an intro, and is not the same music again", () => {
    expect(continuation.sections.at(0)?.kind).toBe("verse");
    expect(continuation.parts).not.toEqual(original.parts);
  });
});

import { describe, expect, test } from "vitest";
import { type SongRequest, writeScore } from "../../../emulator/audio/score/write-score.js";
import { readStyle } from "../../../emulator/audio/style/read-style.js";
import { GENRES } from "../../../emulator/audio/style/words.js";

function scoreOf(request: Partial<SongRequest>) {
  return writeScore({ text: "", seed: 1, durationSeconds: 30, instrumental: true, ...request });
}

describe("the words of a text", () => {
  test.each([
    ["techno", "techno"],
    ["a Hip-Hop beat", "hipHop"],
    ["Lo-Fi, rainy", "lofi"],
    ["drum & bass, drum and bass", "drumAndBass"],
    ["smooth JAZZ!", "jazz"],
    ["jazz with techno drums", "jazz"],
    ["8-bit game", "chiptune"],
    ["rock'n'roll", "rock"],
  ] as const)("%j is played as %s", (text, genre) => {
    expect(readStyle(text, 1).groove).toBe(GENRES[genre].groove);
    expect(readStyle(text, 1).bassInstrument).toBe(GENRES[genre].bassInstrument);
  });

  test("a word within another word is not that word", () => {
    expect(readStyle("rock", 1).groove).toBe("rock");
    const styles = Array.from({ length: 12 }, (_, seed) => readStyle("rocket trapeze", seed).groove);
    expect(new Set(styles).size).toBeGreaterThan(2);
  });

  test("slow is slower and fast is faster in the same genre", () => {
    const [slow, plain, fast] = ["slow pop", "pop", "fast pop"].map((text) => readStyle(text, 1).tempo);
    expect(slow?.[1]).toBeLessThan(plain?.[1] ?? 0);
    expect(fast?.[1]).toBeGreaterThan(plain?.[1] ?? 0);
  });

  test("sad is minor and happy is major, whatever the seed", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(scoreOf({ text: "a sad song", seed }).scale).toBe("minor");
      expect(scoreOf({ text: "a happy song", seed }).scale).toBe("major");
    }
  });

  test("techno has a kick drum on every beat of its chorus", () => {
    const score = scoreOf({ text: "techno" });
    const chorus = score.sections.find(({ kind }) => kind === "chorus");
    const start = (chorus?.startBar ?? 0) * score.beatsPerBar;
    const kicks = score.hits.filter(({ drum }) => drum === "kick").map((hit) => hit.start);
    expect(kicks).toEqual(expect.arrayContaining([0, 1, 2, 3].map((beat) => start + beat)));
  });

  test("ambient has no drums, a waltz three beats, jazz a swinging ride", () => {
    expect(scoreOf({ text: "ambient" }).hits).toEqual([]);
    expect(scoreOf({ text: "waltz" }).beatsPerBar).toBe(3);
    const offbeats = scoreOf({ text: "jazz" }).hits.filter(
      ({ drum, start }) => drum === "ride" && start % 1 > 0.3,
    );
    expect(offbeats.length).toBeGreaterThan(4);
    for (const { start } of offbeats) expect(start % 1).toBeGreaterThan(0.6);
  });

  test("an instrument that is named is played", () => {
    const leads = ["violin", "sax", "flute"].map(
      (word) => scoreOf({ text: `pop with ${word}` }).parts.find(({ role }) => role === "lead")?.instrument,
    );
    expect(leads).toEqual(["violin", "saxophone", "flute"]);
  });

  test("unknown words lead to different music", () => {
    const texts = ["quolp", "brastle", "vennig", "zub", "trell", "marrow", "ipsit", "gant"];
    const songs = texts.map((text) => scoreOf({ text }));
    expect(
      new Set(songs.map(({ kit, beatsPerMinute, tonic }) => `${kit} ${beatsPerMinute} ${tonic}`)).size,
    ).toBe(8);
  });

  test("lyrics choose the style only where nothing else does", () => {
    expect(scoreOf({ text: "waltz", lyrics: "techno" }).beatsPerBar).toBe(3);
    expect(scoreOf({ text: " ", lyrics: "[Verse] a waltz for you" }).beatsPerBar).toBe(3);
  });
});

import { describe, expect, test } from "vitest";
import { keywordsOf, songTitle, writeLyrics } from "../../../emulator/audio/words.js";

const PROMPTS = [
  "rain in Lisbon",
  "A birthday song for my dog Rex",
  "夜の雨",
  "love",
  "",
  "the of and",
  "[Verse]",
  "$& {word} $1",
];

describe("lyrics", () => {
  test.each(PROMPTS)("about %j have verses, a chorus that comes back, and a bridge", (prompt) => {
    const { text } = writeLyrics(prompt, 5);
    const sections = text.split("\n\n").map((section) => section.split("\n"));
    const tags = sections.map(([tag]) => tag);
    expect(tags).toEqual(["[Verse]", "[Chorus]", "[Verse]", "[Chorus]", "[Bridge]", "[Chorus]"]);
    expect(sections[1]).toEqual(sections[3]);
    expect(sections[0]).not.toEqual(sections[2]);
    for (const [, ...lines] of sections) {
      expect(lines.length).toBeGreaterThanOrEqual(2);
      for (const line of lines) expect(line).toMatch(/^\S.*\S$/);
    }
    expect(text).not.toMatch(/\{(word|title)\}|undefined/);
  });

  test("sing of what the prompt is about, and have their title in the chorus", () => {
    const { title, text } = writeLyrics("rain in Lisbon", 5);
    expect(text).toContain("Lisbon");
    expect(text).toContain("rain");
    expect(text.split("[Chorus]")[1]).toContain(title);
  });

  test("are the same for the same prompt and seed, and others otherwise", () => {
    const [first, again, reseeded, reworded] = [
      writeLyrics("rain", 1),
      writeLyrics("rain", 1),
      writeLyrics("rain", 2),
      writeLyrics("snow", 1),
    ];
    expect(again).toEqual(first);
    expect(reseeded.text).not.toBe(first.text);
    expect(reworded.text).not.toBe(first.text);
  });
});

describe("a title", () => {
  test.each(PROMPTS)("for %j is short and without a blank at either end", (prompt) => {
    for (let seed = 0; seed < 20; seed++) {
      const title = songTitle(prompt, seed);
      expect(title).toMatch(/^\S(.*\S)?$/);
      expect(title.length).toBeLessThan(60);
    }
  });

  test("names something of the text, and leaves out how the song is to be made", () => {
    for (let seed = 0; seed < 20; seed++) {
      expect(songTitle("Write a song about Lisbon", seed)).toContain("Lisbon");
    }
  });

  test("stays short when the text is one endless word", () => {
    expect(songTitle("a".repeat(5000), 1).length).toBeLessThan(60);
  });
});

describe("what a text is about", () => {
  test.each([
    ["a slow fado about Lisbon", ["Lisbon"]],
    ["a cat's dream", ["the cat", "the dream"]],
    ["a lighthouse that is afraid of the dark", ["the lighthouse", "the dark"]],
    ["the dark night", ["the night"]],
    ["upbeat synthwave, melancholic, rain", ["rain"]],
    ["a brass band that lost its tuba", ["the brass", "the band", "the tuba"]],
    ["A birthday song for my dog Rex", ["the birthday", "the dog", "Rex"]],
    ["夜の雨", ["夜の雨"]],
    ["polka", []],
  ])("%j: things, and neither how they are, nor whose, nor how it sounds: %j", (text, phrases) => {
    expect(keywordsOf(text).map(({ phrase }) => phrase)).toEqual(phrases);
  });

  test("no title of a slow song is about slow, and no line is for afraid", () => {
    for (let seed = 0; seed < 40; seed++) {
      expect(songTitle("slow fado in Lisbon, a cat's dream", seed)).not.toMatch(/Slow|Fado|'s/);
      const { text } = writeLyrics("a lighthouse that is afraid of the dark", seed);
      expect(text).not.toMatch(/afraid|(?<!the )lighthouse/);
    }
  });
});

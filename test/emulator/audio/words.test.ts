import { describe, expect, test } from "vitest";
import { keywordsOf, songTitles, writeLyrics } from "../../../emulator/audio/words.js";

const USUAL = ["rain in Lisbon", "A birthday song for my dog Rex", "夜の雨", "love"];
const PROMPTS = [...USUAL, "", "the of and", "[Verse]", "$& {word} $1"];

describe("lyrics", () => {
  test.each(PROMPTS)("about %j have verses, a repeated chorus, and a bridge", (prompt) => {
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

  test("contain the prompt's nouns, and their title in the chorus", () => {
    const { title, text } = writeLyrics("rain in Lisbon", 5);
    expect(text).toContain("Lisbon");
    expect(text).toContain("rain");
    expect(text.split("[Chorus]")[1]).toContain(title);
  });

  test("are the same for the same prompt and seed, and different otherwise", () => {
    const first = writeLyrics("rain", 1);
    expect(writeLyrics("rain", 1)).toEqual(first);
    expect(writeLyrics("rain", 2).text).not.toBe(first.text);
    expect(writeLyrics("snow", 1).text).not.toBe(first.text);
  });
});

describe("a title", () => {
  test.each(PROMPTS)("for %j is short, without whitespace at either end", (prompt) => {
    for (let seed = 0; seed < 20; seed++) {
      const title = songTitles(prompt)(seed);
      expect(title).toMatch(/^\S(.*\S)?$/);
      expect(title.length).toBeLessThan(60);
    }
  });

  test("contains a noun of the text, and leaves out instructions", () => {
    for (let seed = 0; seed < 20; seed++) {
      expect(songTitles("Write a song about Lisbon")(seed)).toContain("Lisbon");
    }
  });

  test("stays short when the text is one very long word", () => {
    expect(songTitles("a".repeat(5000))(1).length).toBeLessThan(60);
  });
});

describe("the keywords of a text", () => {
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
  ])("%j: nouns, without adjectives, possessives and styles: %j", (text, phrases) => {
    expect(keywordsOf(text).map(({ phrase }) => phrase)).toEqual(phrases);
  });

  test("titles and lyrics use no adjective as a noun", () => {
    for (let seed = 0; seed < 40; seed++) {
      expect(songTitles("slow fado in Lisbon, a cat's dream")(seed)).not.toMatch(/Slow|Fado|'s/);
      const { text } = writeLyrics("a lighthouse that is afraid of the dark", seed);
      expect(text).not.toMatch(/afraid|(?<!the )lighthouse/);
    }
  });
});

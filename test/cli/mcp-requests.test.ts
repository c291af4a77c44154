import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ToolRefusal } from "../../cli/mcp/refusal.js";
import { creatingTools } from "../../cli/mcp/requests.js";
import { findRequestViolation } from "../../src/contract/request-rules.js";
import type { TaskRequest } from "../../src/index.js";

const TEXTS = {
  description: "a slow fado about rain",
  lyrics: "[Verse] It rains",
  styles: "fado, guitar",
  title: "Rain",
  styles_to_avoid: "drums",
};
const OTHERS = { instrumental: true, seed: 7 };
const ALL = { ...TEXTS, ...OTHERS };

function requestOf(name: string, args: object): TaskRequest {
  const tool = creatingTools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}`);
  return tool.requestOf(tool.inputSchema.parse({ order: "rain", ...args }));
}

const inputOf = (args: object) => ({ ...requestOf("make_song", args).input });

test("no argument that takes only a string is described as one that takes more", () => {
  for (const { name, inputSchema } of creatingTools()) {
    const described = Object.entries(z.toJSONSchema(inputSchema).properties ?? {}).filter(
      ([, property]) => typeof property === "object" && property.type === "string",
    );
    expect(described.length, name).toBeGreaterThan(0);
    for (const [argument, property] of described)
      expect(JSON.stringify(property), `${name} ${argument}`).not.toContain("JSON");
  }
});

describe("an argument of `make_song` becomes the field that means the same", () => {
  test.each<[string, object, object]>([
    [
      "a description of provider_a",
      { description: "rain", styles_to_avoid: "drums", instrumental: true },
      { gpt_description_prompt: "rain", negative_tags: "drums", make_instrumental: true },
    ],
    [
      "lyrics and styles of provider_a",
      { lyrics: "words", styles: "folk", title: "Rain", styles_to_avoid: "drums" },
      { prompt: "words", tags: "folk", title: "Rain", negative_tags: "drums" },
    ],
    ["lyrics of provider_a", { lyrics: "words" }, { prompt: "words" }],
    [
      "an instrumental of provider_a",
      { styles: "folk", instrumental: true },
      { tags: "folk", make_instrumental: true },
    ],
    [
      "a description of provider_b",
      { model: "provider_b", description: "calm" },
      { prompt: "calm", lyrics_type: "generate" },
    ],
    [
      "lyrics of provider_b",
      { model: "provider_b", description: "calm", lyrics: "words", styles: "folk", seed: 7 },
      { prompt: "calm", lyrics: "words", tags: "folk", lyrics_type: "user", seed: 7 },
    ],
    [
      "an instrumental of provider_b",
      { model: "provider_b", description: "calm", instrumental: true },
      { prompt: "calm", lyrics_type: "instrumental" },
    ],
  ])("%s", (_, args, input) => {
    expect(inputOf(args)).toEqual(input);
  });

  test("an argument that is blank is not sent", () => {
    const blanks = { lyrics: "", styles: " ", title: "\n", styles_to_avoid: "" };
    expect(inputOf({ description: "rain", ...blanks })).toEqual({ gpt_description_prompt: "rain" });
  });

  test("the lyrics of a continuation are sung, and its title is kept", () => {
    const args = { continue_clip_id: "clip", continue_at: 0, lyrics: "words", title: "Rain" };
    expect(requestOf("continue_song", args).input).toEqual({
      ...{ continue_clip_id: "clip", continue_at: 0, prompt: "words", title: "Rain" },
    });
  });
});

/** What each field means to the service (Resources): the description is never among the words to sing. */
const MEANINGS = {
  provider_a: {
    inspiration: { gpt_description_prompt: "description", negative_tags: "styles_to_avoid" },
    custom: { prompt: "lyrics", tags: "styles", title: "title", negative_tags: "styles_to_avoid" },
  },
  provider_b: { prompt: "description", lyrics: "lyrics", tags: "styles" },
} as const;

test("every combination of arguments is sent as it is meant, or refused with what to do", () => {
  const names = Object.keys(ALL);
  let sent = 0;
  for (const model of ["provider_a", "provider_b"] as const) {
    for (let bits = 0; bits < 2 ** names.length; bits++) {
      const given = Object.fromEntries(Object.entries(ALL).filter((_, index) => bits & (1 << index)));
      const request = requestOrRefusal({ model, ...given });
      if (request instanceof ToolRefusal) {
        expect(request.message).toMatch(/(Remove|Pass) .*Nothing was sent or charged\. .*same order\.$/);
        continue;
      }
      sent++;
      expect(findRequestViolation(request)).toBeNull();
      const input: Record<string, unknown> = { ...request.input };
      const isInspiration = "gpt_description_prompt" in input;
      const meanings: Record<string, string> =
        model === "provider_b" ? MEANINGS[model] : MEANINGS[model][isInspiration ? "inspiration" : "custom"];
      const meant = Object.entries(meanings)
        .filter(([, name]) => name in given)
        .map(([field, name]) => [field, given[name]]);
      const { make_instrumental, lyrics_type, seed, ...texts } = input;
      // Every argument arrives, and nothing else.
      expect(texts).toEqual(Object.fromEntries(meant));
      expect(meant.length).toBe(Object.keys(given).filter((name) => name in TEXTS).length);
      expect(seed).toBe(Object(given).seed);
      expect(make_instrumental === true || lyrics_type === "instrumental").toBe("instrumental" in given);
    }
  }
  // provider_a: a description, and 4 kinds of other songs; provider_b: 3 kinds. Each has two more arguments.
  expect(sent).toBe(4 + (3 + 1) * 4 + 3 * 4);
});

function requestOrRefusal(args: object) {
  try {
    return requestOf("make_song", args);
  } catch (error) {
    if (error instanceof ToolRefusal) return error;
    throw error;
  }
}

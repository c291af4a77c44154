import { InsufficientCreditsError } from "async-music";
import { test } from "async-music/emulator/vitest";
import { describe, expect } from "vitest";
import { sing } from "./songbook.js";

test("each verse has a song", async ({ client }) => {
  const songs = await sing(client, ["[Verse] one", "[Verse] two", "[Verse] three"]);
  expect(songs).toEqual(Array(3).fill(expect.stringMatching(/^https:/)));
  expect((await client.account.balance()).available).toBe(970);
});

test("a verse that the provider refuses is silent, and costs nothing", async ({ client, emulator }) => {
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  expect(await sing(client, ["[Verse] one", "[Verse] two"])).toContain("silence: content_moderation");
  expect(await client.account.balance()).toMatchObject({ available: 990, frozen: 0 });
});

test("half an hour of outage costs nothing but time", async ({ client, emulator }) => {
  const isDown = { kind: "status", status: 503, when: "before" } as const;
  emulator.faults.add({ method: "GET", times: 60, fault: isDown });
  expect(await sing(client, ["[Verse] one"])).toHaveLength(1);
});

describe("with credits for one verse", () => {
  test.override({ emulatorOptions: { credits: 15 } });

  test("the second is refused", async ({ client }) => {
    await expect(sing(client, ["[Verse] one", "[Verse] two"])).rejects.toThrow(InsufficientCreditsError);
  });
});

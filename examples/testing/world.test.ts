import { AsyncMusic, AudioExpiredError, InsufficientCreditsError } from "async-music";
import { test } from "async-music/emulator/vitest";
import { expect } from "vitest";
import { sing } from "./songbook.js";
import world from "./world.json" with { type: "json" };

test.override({ emulatorOptions: { seedFile: world } });

test("an unfinished song of an earlier process can be waited for", async ({ client }) => {
  const song = await client.tasks.wait("50000000-0000-4000-8000-000000000002");
  expect(song.status).toBe("success");
  expect(await client.account.balance()).toMatchObject({ available: 500, frozen: 0 });
});

test("the audio of last week's song has expired", async ({ client, emulator }) => {
  const song = await client.tasks.retrieve("50000000-0000-4000-8000-000000000003");
  const download = client.audio.download(`${emulator.url}/audio/expired-1`);
  expect(song.completed_at).toMatch(/^2026-05-24/);
  await expect(download).rejects.toThrow(AudioExpiredError);
});

test("the second account can't pay for a song", async ({ emulator }) => {
  const client = new AsyncMusic(emulator.connection({ apiKey: "emu_bob" }));
  await expect(sing(client, ["[Verse] one"])).rejects.toThrow(InsufficientCreditsError);
});

import { AsyncMusic, TaskFailedError } from "async-music";
import { checkCompliance, createEmulator } from "async-music/emulator";
import { orderSong } from "../order-song.mjs";

let emulator;
let client;

beforeEach(() => {
  emulator = createEmulator({ credits: 100 });
  client = new AsyncMusic(emulator.connection());
});

afterEach(() => checkCompliance(emulator));

test("a song has a URL", async () => {
  expect(await orderSong(client, "polka")).toMatch(/^https:/);
});

test("a failed song is refunded", async () => {
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  await expect(orderSong(client, "polka")).rejects.toThrow(TaskFailedError);
  expect((await client.account.balance()).available).toBe(100);
});

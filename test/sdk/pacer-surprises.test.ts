import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";

// What a long load sees only once: the other requests must not suffer from it.

const SONG = { model: "provider_b", task_type: "music", input: { prompt: "rain" } } as const;

test.each([100, 150, 200, 250, 300, 350])(
  "a connection that breaks before request %i arrives causes no 429",
  async (broken) => {
    await using emulator = createEmulator({ seed: 1, credits: 10_000 });
    const { fetch, ...connection } = emulator.connection();
    let requests = 0;
    let hasBroken = false;
    const client = new AsyncMusic({
      ...connection,
      fetch: async (input, init) => {
        const isNext = ++requests >= broken && Object(input).method === "GET";
        if (!isNext || hasBroken) return fetch(input, init);
        hasBroken = true;
        throw new TypeError("fetch failed", {
          cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
        });
      },
    });
    await Promise.all(
      Array.from({ length: 120 }, async (_, index) => {
        await emulator.clock.sleep(3333 * index);
        await client.tasks.run(SONG);
      }),
    );
    expect(hasBroken).toBe(true);
    expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  },
);

test("after the service has lowered the limit of a key, no song is lost", async () => {
  await using emulator = createEmulator({ credits: 10_000, limits: { requests: 5000 } });
  const client = new AsyncMusic(emulator.connection());
  const changed = emulator.clock.sleep(600_000).then(() => emulator.changeLimits({ requests: 120 }));
  await Promise.all(
    Array.from({ length: 240 }, async (_, index) => {
      await emulator.clock.sleep(5000 * index);
      await client.tasks.run(SONG);
    }),
  );
  await changed;
});

import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";
import { balance, refusal } from "../support/responses.js";
import { API_KEY, createWorld, inTurn } from "../support/world.js";

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

test("429s that state no wait hold all requests back for longer each, until another response comes", async () => {
  const unstated = () => refusal(429, "rate_limited");
  const answers = inTurn(...Array(5).fill(unstated), () => balance());
  const { client } = createWorld((request, index) => (index === 6 ? unstated() : answers(request, index)), {
    maxRetries: 9,
  });
  const holds: number[] = [];
  client.on("pause", ({ forMs }) => holds.push(forMs));
  await client.account.balance();
  await client.account.balance();
  expect(holds).toEqual([1000, 2000, 4000, 8000, 8000, 1000]);
});

test("429s to requests that were in flight at once share one hold", async () => {
  const { client } = createWorld((_, index) => (index < 3 ? refusal(429, "rate_limited") : balance()));
  const holds: number[] = [];
  client.on("pause", ({ forMs }) => holds.push(forMs));
  await Promise.all(Array.from({ length: 3 }, () => client.account.balance()));
  expect(holds).toEqual([1000, 1000, 1000]);
});

test("a request that was admitted before a hold, and sent during it, does not change the next hold", async () => {
  const refused = [0, 1, 3];
  let keys = 0;
  const { client, clock } = createWorld(
    (_, index) => (refused.includes(index) ? refusal(429, "rate_limited") : balance()),
    // The first three requests are admitted at once, and sent 10 ms apart.
    { apiKey: () => clock.sleep(10 * (keys++ % 3)).then(() => API_KEY) },
  );
  const holds: number[] = [];
  client.on("pause", ({ forMs }) => holds.push(forMs));
  await Promise.all(Array.from({ length: 3 }, () => client.account.balance()));
  expect(holds).toEqual([1000, 1000, 2000]);
});

test("no song is lost if two clients share a key and no 429 states a wait", async () => {
  await using emulator = createEmulator({ seed: 1, credits: 10_000 });
  const { fetch, ...connection } = emulator.connection();
  let refused = 0;
  const withoutWait: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 429) return response;
    refused++;
    return refusal(429, "rate_limited");
  };
  const clients = [1, 2].map(() => new AsyncMusic({ ...connection, fetch: withoutWait }));
  const runs = Array.from({ length: 100 }, () => clients.map((client) => client.tasks.run(SONG)));
  const ended = await Promise.allSettled(runs.flat());
  expect(ended.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(refused).toBeLessThan(200);
});

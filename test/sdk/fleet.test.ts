import {
  AsyncMusic,
  type ClientOptions,
  type Journal,
  memoryBudget,
  memoryJournal,
  RateLimitedError,
} from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { expect, onTestFinished, test } from "vitest";
import { FleetPacer } from "../../src/databases/redis/fleet-pacer.js";
import type { SharedWindow } from "../../src/databases/redis/shared-window.js";
import { TYPICAL } from "../../tools/pacing/durations.js";
import { seededRandom } from "../../tools/pacing/random.js";
import { createSharedWindow } from "../../tools/pacing/shared-window.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST } from "../support/responses.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { watchUnhandledRejections } from "../support/unhandled.js";

// Limits: 120 requests per 60 seconds per API key. A counter on the emulator's clock replaces Redis.

const SIZE = { requests: 120, windowMs: 60_000 };
function createFleet() {
  const emulator = createEmulator({ seed: 1, credits: 100_000 });
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  const join = createSharedWindow(emulator.clock, SIZE);
  const errors: unknown[] = [];

  const member = (options: ClientOptions = {}, fleet: SharedWindow = join()) => {
    const pacer = new FleetPacer(emulator.clock, fleet, SIZE, (error) => errors.push(error));
    return new AsyncMusic({ ...emulator.connection(), pacer, ...options });
  };
  const refused = () => emulator.requests.filter(({ status }) => status === 429);
  return { emulator, clock: emulator.clock, join, member, refused, errors };
}

/** Runs songs on several clients, each of them `gapMs` after the one before it. */
async function runSongs(emulator: Emulator, clients: readonly AsyncMusic[], songs: number, gapMs = 0) {
  const chance = seededRandom(3);
  const [delays, waits]: [number[], number[]] = [[], []];
  const run = async (client: AsyncMusic, place: number) => {
    await emulator.clock.sleep(gapMs * place);
    const process_seconds = TYPICAL.draw(chance());
    emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 0, process_seconds });
    const askedAt = emulator.clock.now();
    const song = await client.tasks.run(SONG_REQUEST, { pollIntervalMs: 5000 });
    waits.push(Date.parse(song.created_at ?? "") - askedAt);
    delays.push(emulator.clock.now() - Date.parse(song.completed_at ?? ""));
  };
  const places = Array.from({ length: songs }, (_, place) => place);
  await Promise.all(places.map((place) => run(clients[place % clients.length] as AsyncMusic, place)));
  const meanSeconds = (times: number[]) => times.reduce((sum, time) => sum + time, 0) / times.length / 1000;
  return { delay: meanSeconds(delays), wait: meanSeconds(waits) };
}

async function runAlone(songs: number, gapMs = 0) {
  await using emulator = createEmulator({ seed: 1, credits: 100_000 });
  return await runSongs(emulator, [new AsyncMusic(emulator.connection())], songs, gapMs);
}

test.each([
  ["a hundred tasks at once", 100, 0, 2],
  ["three tasks in ten seconds", 200, 3333, 1.6],
  ["six tasks in ten seconds", 200, 1667, 1.6],
])(
  "ten members, %s: no 429, and results about as early as with a single client",
  async (_, songs, gapMs, times) => {
    const { emulator, member, refused, errors } = createFleet();
    const members = Array.from({ length: 10 }, () => member());
    const { delay, wait } = await runSongs(emulator, members, songs, gapMs);
    expect(refused()).toEqual([]);
    expect(emulator.audit()).toEqual([]);
    expect(wait).toBeLessThan(2);
    expect(delay).toBeLessThan(times * (await runAlone(songs, gapMs)).delay);
    expect(errors).toEqual([]);
  },
);

test.each([500, 1500, 4000, 10_000])(
  "requests that are sent %i ms late hold up no others",
  async (lateMs) => {
    const { emulator, clock, member, refused } = createFleet();
    const { apiKey } = emulator.connection();
    const slowly = { apiKey: () => clock.sleep(lateMs).then(() => apiKey) };
    const clients = [member(slowly), member(slowly)];
    const waits = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        await clock.sleep(600 * index);
        const askedAt = clock.now();
        await clients[index % 2]?.account.balance();
        return clock.now() - askedAt;
      }),
    );
    expect(Math.max(...waits)).toBeLessThan(lateMs + 4000);
    expect(refused()).toEqual([]);
  },
);

test("processes that wait for one task read it at least a second apart, also after one of them has ended", async () => {
  const { emulator, clock, member, refused } = createFleet();
  const first = member();
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 60 });
  const submission = await first.tasks.create(SONG_REQUEST);
  const controller = new AbortController();
  const options = { pollIntervalMs: 1000 };
  const left = first.tasks.wait(submission, { ...options, signal: controller.signal });
  const others = Array.from({ length: 3 }, () => member());
  const songs = others.map((client) => client.tasks.wait(submission.task_id, options));
  void clock.sleep(20_300).then(() => {
    controller.abort("killed");
    songs.push(member().tasks.wait(submission.task_id, options));
  });
  await expect(left).rejects.toBe("killed");
  for (const song of songs) expect((await song).status).toBe("success");
  const reads = others.map((client) => client.tasks.retrieve(submission.task_id));
  await Promise.all(reads);
  expect(emulator.audit()).toEqual([]);
  expect(refused()).toEqual([]);
});

test.each([300, 600, 900])(
  "a shared window whose replies take twice %s ms starves no wait",
  async (delayMs) => {
    const { emulator, clock, member, errors } = createFleet();
    const join = createSharedWindow(clock, SIZE, delayMs);
    const windows = [join(), join()];
    let taken = 0;
    const members = windows.map((window) => {
      const take: SharedWindow["take"] = (upTo) => {
        taken++;
        return window.take(upTo);
      };
      const reserveRead: SharedWindow["reserveRead"] = async (taskId) => {
        const blockedForMs = await window.reserveRead(taskId);
        await clock.sleep(delayMs);
        return blockedForMs;
      };
      return member({}, { ...window, take, reserveRead });
    });
    emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 60 });
    const [first, second] = members as [AsyncMusic, AsyncMusic];
    const submission = await first.tasks.create(SONG_REQUEST);
    const waits = [first, second].map((client) => client.tasks.wait(submission, { maxWaitMs: 90_000 }));
    for (const song of waits) expect((await song).status).toBe("success");
    // A read that another process reserves meanwhile costs what was taken for it.
    expect(taken - emulator.requests.length).toBeLessThanOrEqual(1);
    expect(emulator.audit()).toEqual([]);
    expect(errors).toEqual([]);
  },
);

test.each(["reserveRead", "take"] as const)(
  "a read that is aborted during `%s` delays the reads of other processes by a second at most",
  async (step) => {
    const { clock, join, errors } = createFleet();
    const controller = new AbortController();
    const window = join();
    let taken = 0;
    const fleet: SharedWindow = {
      ...window,
      async reserveRead(taskId) {
        if (step === "reserveRead") controller.abort("left");
        return window.reserveRead(taskId);
      },
      async take(upTo) {
        taken++;
        controller.abort("left");
        return window.take(upTo);
      },
      noteRead: (taskId) => window.noteRead(taskId),
    };
    const open = (own: SharedWindow) => new FleetPacer(clock, own, SIZE, (error) => errors.push(error));
    const request = { kind: "poll", taskId: "task-1" } as const;
    await expect(open(fleet).admit(request, controller.signal)).rejects.toBe("left");
    expect(taken).toBe(step === "take" ? 1 : 0);
    const abortedAt = clock.now();
    expect(await open(join()).admit(request)).toBe(true);
    expect(clock.now() - abortedAt).toBeLessThan(1100);
    expect(errors).toEqual([]);
  },
);

/** A `fetch` whose requests arrive after a delay. */
function slowFetch({ clock, connection }: Emulator, delayMs: () => number): typeof globalThis.fetch {
  const { fetch } = connection();
  return async (...request) => {
    await clock.sleep(delayMs());
    return fetch(...request);
  };
}

const read = (client: AsyncMusic, times: number) =>
  Promise.all(Array.from({ length: times }, () => client.account.balance()));

test("no 429 if every request takes up to a second to arrive", async () => {
  const { emulator, member, refused } = createFleet();
  const chance = seededRandom(5);
  const fetch = slowFetch(emulator, () => 900 * chance());
  const inTurn = Array.from({ length: 10 }, () => member({ fetch })).map(async (client) => {
    for (let turn = 0; turn < 40; turn++) await client.account.balance();
  });
  await Promise.all(inTurn);
  expect(refused()).toEqual([]);
});

test("no 429 if the service counts the first request of a window late", async () => {
  const { emulator, clock, member, refused } = createFleet();
  const began = clock.now();
  const fetch = slowFetch(emulator, () => (clock.now() < began + 30_000 ? 4000 : 10));
  await Promise.all(Array.from({ length: 10 }, () => read(member({ fetch }), 30)));
  expect(refused()).toEqual([]);
});

test("no request is sent in the last moment of a window, not even by a new member", async () => {
  const { emulator, clock, member, refused } = createFleet();
  await member().account.balance();
  await clock.sleep(59_500);
  const fetch = slowFetch(emulator, () => 900);
  const late = read(member({ fetch }), 3);
  await clock.sleep(2000);
  await Promise.all([late, read(member({ fetch }), 120)]);
  expect(refused()).toEqual([]);
});

test("each of ten busy members gets an equal share", async () => {
  const { clock, member } = createFleet();
  const began = clock.now();
  const sent = Array.from({ length: 10 }, async (_, index) => {
    const client = member();
    let inFirstWindow = 0;
    client.on("attempt", () => {
      if (clock.now() < began + 50_000) inFirstWindow++;
    });
    await Promise.all(Array.from({ length: index === 0 ? 120 : 20 }, () => client.account.balance()));
    return inFirstWindow;
  });
  for (const count of await Promise.all(sent)) expect(Math.abs(count - 12)).toBeLessThanOrEqual(4);
});

test("one member may use all that the fleet has left at once", async () => {
  const { emulator, clock, member } = createFleet();
  const began = clock.now();
  await read(member({ fetch: slowFetch(emulator, () => 900) }), 120);
  expect(clock.now() - began).toBeLessThan(1500);
});

test("the polls of all members leave capacity for the creates of another", async () => {
  const { emulator, clock, member } = createFleet();
  emulator.providers.provider_a.always({ outcome: "hang" });
  const creator = member();
  const ids = await Promise.all(
    Array.from({ length: 90 }, async () => (await creator.tasks.create(SONG_REQUEST)).task_id),
  );
  await clock.sleep(70_000);
  const waits = ids.map((id, index) => {
    const watching = index % 30 === 0 ? member() : creator;
    return watching.tasks.wait(id, { maxWaitMs: 300_000, pollIntervalMs: 1000 }).catch(() => {});
  });
  for (let song = 0; song < 40; song++) {
    const askedAt = clock.now();
    await creator.tasks.create(SONG_REQUEST);
    expect(clock.now() - askedAt).toBeLessThan(5000);
    await clock.sleep(5000);
  }
  await Promise.all(waits);
});

test("a 429 delays every member, and a call with a shorter wait limit fails", async () => {
  const { emulator, clock, member, refused } = createFleet();
  const [one, other] = [member(), member()];
  const outsider = new AsyncMusic(emulator.connection());
  await read(outsider, 120);
  await rejection(one.tasks.create(SONG_REQUEST, { maxRetries: 0 }), RateLimitedError);

  const before = emulator.requests.length;
  const waiting = other.account.balance();
  const error = await rejection(member({ retryBudgetMs: 1000 }).account.balance(), RateLimitedError);
  expect(error.message).toContain("Nothing was sent");
  expect(emulator.requests).toHaveLength(before);
  await waiting;
  expect(error.retryAt?.getTime()).toBeLessThanOrEqual(clock.now());
  expect(refused()).toHaveLength(1);
  expect(emulator.audit()).toEqual([]);
});

test("requests by other programs of the same key are read from the responses and subtracted", async () => {
  const { emulator, member, refused } = createFleet();
  const outsider = new AsyncMusic(emulator.connection());
  const [one, other] = [member(), member()];
  await one.account.balance();
  await read(outsider, 90);
  await one.account.balance();
  await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 ? one : other).account.balance()));
  expect(refused()).toEqual([]);
});

test.each([
  ["rejects", () => Promise.reject(new Error("the connection is closed"))],
  ["never responds", () => new Promise<never>(() => {})],
])("while the shared window %s, every member paces itself, and one error is reported", async (_, fail) => {
  const { clock, join, member, refused, errors } = createFleet();
  const fleet = join();
  let isAway = true;
  const take: SharedWindow["take"] = (upTo) => (isAway ? fail() : fleet.take(upTo));
  const client = member({}, { ...fleet, take });
  const began = clock.now();
  await read(client, 130);
  expect(clock.now() - began).toBeLessThan(66_000);
  expect(refused()).toEqual([]);
  expect(errors).toHaveLength(1);

  isAway = false;
  await clock.sleep(70_000);
  await Promise.all([...Array(70)].flatMap(() => [client.account.balance(), member().account.balance()]));
  isAway = true;
  await client.account.balance();
  expect(refused()).toEqual([]);
  expect(errors).toHaveLength(2);
});

test("a member retries an unavailable shared window without exceeding its own", async () => {
  const { clock, join, member, refused } = createFleet();
  const take = () => Promise.reject(new Error("the connection is closed"));
  const client = member({}, { ...join(), take });
  await read(client, 118);
  // The next request retries it every ten seconds.
  for (let times = 0; times < 4; times++) {
    await clock.sleep(10_500);
    void read(client, 4);
  }
  await clock.sleep(70_000);
  expect(refused()).toEqual([]);
});

test("a member whose own window is used up retries the shared one as soon as it may be available", async () => {
  const size = { requests: 120, windowMs: 2000 };
  const limits = { requests: 120, windowSeconds: 2 };
  await using emulator = createEmulator({ seed: 1, limits });
  const { clock } = emulator;
  const fleet = createSharedWindow(clock, size)();
  let isAway = true;
  const take: SharedWindow["take"] = (upTo) =>
    isAway ? Promise.reject(new Error("the connection is closed")) : fleet.take(upTo);
  const pacer = new FleetPacer(clock, { ...fleet, take }, size, () => {
    isAway = false;
  });
  const client = new AsyncMusic({ ...emulator.connection(), pacer });
  const began = clock.now();
  await read(client, 130);
  expect(clock.now() - began).toBeLessThan(20_000);
  expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
});

test("a listener that rejects leaves no unhandled rejection", async () => {
  const unhandled = watchUnhandledRejections();
  await using emulator = createEmulator({ seed: 1 });
  const { clock } = emulator;
  const take = () => Promise.reject(new Error("the connection is closed"));
  const listener: () => unknown = () => Promise.reject(new Error("the pager is off"));
  const pacer = new FleetPacer(clock, { ...createSharedWindow(clock, SIZE)(), take }, SIZE, listener);
  await new AsyncMusic({ ...emulator.connection(), pacer }).account.balance();
  await turns(2);
  expect(unhandled).not.toHaveBeenCalled();
});

test("a request that is aborted while the shared window is read is not sent", async () => {
  const { clock } = createFleet();
  const pacer = new FleetPacer(clock, createSharedWindow(clock, SIZE, 100)(), SIZE, () => {});
  const controller = new AbortController();
  void clock.sleep(150).then(() => controller.abort("no"));
  await expect(pacer.admit({ kind: "account" }, controller.signal)).rejects.toBe("no");
  for (let left = 0; left < 120; left++) await pacer.admit({ kind: "account" });
  expect(pacer.rateLimit()).toMatchObject({ limit: 120, remaining: 0, heldUntil: null });
});

test("a read that is aborted while it is reserved a second time is given back", async () => {
  const clock = createTestClock();
  const join = createSharedWindow(clock, SIZE, 700);
  const window = join();
  const pacer = new FleetPacer(clock, window, SIZE, () => {});
  const controller = new AbortController();
  // Reserved after 0.7 s, taken after 2.1 s, and reserved again until 2.8 s.
  void clock.sleep(2500).then(() => controller.abort("no"));
  await expect(pacer.admit({ kind: "read", taskId: "a" }, controller.signal)).rejects.toBe("no");
  expect(await join().take(120)).toMatchObject({ taken: 1 });
});

test("a process reports no request of a tenant that the shared window has refused", async () => {
  const clock = createTestClock();
  const join = createSharedWindow(clock, SIZE, 1);
  const window = join();
  const used: number[] = [];
  const reportTenants: SharedWindow["reportTenants"] = (own) => {
    used.push(own.used.get("one") ?? 0);
    return window.reportTenants(own);
  };
  for (let taken = 0; taken < 118; taken++) await join().take(120);
  const pacer = new FleetPacer(clock, { ...window, reportTenants }, SIZE, () => {});
  const send = async () => {
    await pacer.admit({ kind: "create", tenant: "one" });
    pacer.report({ sentAt: clock.now(), remaining: null, heldForMs: null });
  };
  const all = Promise.all(Array.from({ length: 4 }, send));
  await clock.sleep(10_000);
  const another = pacer.admit({ kind: "create", tenant: "another" });
  await clock.sleep(10);
  expect(used.at(-1)).toBe(2);
  await Promise.all([all, another]);
});

test("if the request that opens a fleet's window is sent late, the fleet's window ends after the service's", async () => {
  const { emulator, clock, member, refused } = createFleet();
  const [one, other] = [member(), member()];
  const inner = memoryJournal();
  const journal: Journal = {
    ...inner,
    async put(...entry) {
      if (entry[1].state === "intent") await clock.sleep(10_000);
      return inner.put(...entry);
    },
  };
  const late = one.tasks.create(SONG_REQUEST, { journal, journalKey: "order-1" });
  await clock.sleep(30_000);
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 110 }, () => other.account.balance()));
    await clock.sleep(1000);
  }
  await late;
  expect(emulator.requests).toHaveLength(331);
  expect(refused()).toEqual([]);
});

test.each([
  [10, 2],
  [20, 2],
  [40, 2],
  [120, 2],
  [120, 5],
  [120, 12],
  [120, 60],
])(
  "with %i requests in a window and %i tenants, a process takes no request that it would refuse itself",
  async (requests, tenants) => {
    const clock = createTestClock();
    const size = { requests, windowMs: 60_000 };
    const window = createSharedWindow(clock, size, 1)();
    let takes = 0;
    const take: SharedWindow["take"] = (upTo) => {
      takes++;
      return window.take(upTo);
    };
    const pacer = new FleetPacer(clock, { ...window, take }, size, () => {});
    const send = async (tenant: string) => {
      await pacer.admit({ kind: "create", tenant });
      pacer.report({ sentAt: clock.now(), remaining: null, heldForMs: null });
    };
    const all = Array.from({ length: 2 * requests }, (_, index) => send(`tenant ${index % tenants}`));
    await clock.sleep(20_000);
    expect(takes).toBeLessThan(2 * requests);
    await Promise.all(all);
  },
);

test.each([
  [2, "at once", 0],
  [4, "at once", 0],
  [10, "at once", 0],
  [2, "first one, then the others", 100],
  [2, "one process after the other", 3000],
  [4, "one process after the other", 700],
])(
  "a tenant that has sent many creates in %i processes, %s, leaves the rest of the window to another one",
  async (processes, _, gapMs) => {
    const { emulator, clock, member, refused } = createFleet();
    const members = Array.from({ length: processes }, () => member());
    const create = (tenant: string, client = members[0]) => client?.tasks.create(SONG_REQUEST, { tenant });
    for (let count = 0; count < 3; count++) await create("one");
    const crowd = members.flatMap((client, place) =>
      Array.from({ length: 300 / processes }, async (_, index) => {
        await clock.sleep(index === 0 ? 0 : gapMs * (1 + place));
        return create("crowd", client);
      }),
    );
    for (let count = 0; count < 10; count++) {
      await clock.sleep(2000);
      const sent = emulator.requests.length;
      await create("one");
      expect(emulator.requests.length - sent).toBe(1);
    }
    await Promise.all(crowd);
    expect(refused()).toEqual([]);
  },
);

test.each([
  ["whose budget is exhausted", { maxCredits: 0 }],
  ["whose callers leave", null],
])("300 orders at once of a customer %s delay no other one in any process", async (_, limits) => {
  const { emulator, clock, member, refused } = createFleet();
  const members = [member(), member()] as const;
  const leaving = new AbortController();
  const order =
    limits === null ? { signal: leaving.signal } : { budget: memoryBudget({ ...limits, per: "day" }) };
  await members[1].account.balance();
  const askedAt = clock.now();
  const refusals = Array.from({ length: 300 }, () =>
    members[0].tasks.create(SONG_REQUEST, { tenant: "one", ...order }).catch((error: unknown) => error),
  );
  setImmediate(() => leaving.abort("left"));
  const others = Array.from({ length: 100 }, (_, index) =>
    members[index % 2]?.tasks.create(SONG_REQUEST, { tenant: "other" }),
  );
  await Promise.all(others);
  expect(clock.now() - askedAt).toBeLessThan(5000);
  await Promise.all(refusals);
  expect(emulator.requests.filter(({ path }) => path === "/api/v1/task").length).toBe(100);
  expect(refused()).toEqual([]);
});

test("what a tenant used a window ago in a process that is idle now does not hold it back in another one", async () => {
  const { clock, member, refused } = createFleet();
  const [idle, busy] = [member(), member()];
  const create = (client: AsyncMusic, tenant: string) => client.tasks.create(SONG_REQUEST, { tenant });
  for (let count = 0; count < 60; count++) {
    await create(idle, "one");
    await clock.sleep(500);
  }
  await clock.sleep(62_000);
  const crowd = Array.from({ length: 300 }, () => create(busy, "crowd"));
  await clock.sleep(1000);
  for (let count = 0; count < 8; count++) {
    const askedAt = clock.now();
    await create(busy, "one");
    expect(clock.now() - askedAt).toBeLessThan(1000);
    await clock.sleep(3000);
  }
  await Promise.all(crowd);
  expect(refused()).toEqual([]);
});

import { AsyncMusicError, InvalidOptionError, type TaskRequest } from "async-music";
import { expect, test } from "vitest";
import { all } from "../support/collect.js";
import { createLimitedWorld } from "../support/limited-service.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  balance,
  ok,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  taskIdIn,
} from "../support/responses.js";
import { API_KEY, createWorld } from "../support/world.js";

// The pacer receives the tenant of each request. The service does not.

function createPacedWorld() {
  const { pacer, asked } = createOwnPacer();
  const world = createWorld(
    ({ method, path }, index) =>
      method === "POST"
        ? accepted(submission({ task_id: `task-${index}` }))
        : ok(succeeded({ task_id: taskIdIn({ path }) })),
    { pacer },
  );
  return { ...world, asked };
}

test("the pacer receives the tenant of a create, a retrieve, a wait, a watch and both requests of a run", async () => {
  const { client, asked, requests } = createPacedWorld();
  const options = { tenant: "acme" };
  await client.tasks.create(SONG_REQUEST, options);
  await client.tasks.retrieve(TASK_ID, options);
  await client.tasks.wait(TASK_ID, options);
  await all(client.tasks.watch(TASK_ID, options));
  await client.tasks.run(SONG_REQUEST, options);
  const kinds = ["create", "read", "poll", "poll", "create", "poll"];
  expect(asked.map(({ kind, tenant }) => [kind, tenant])).toEqual(kinds.map((kind) => [kind, "acme"]));
  expect(JSON.stringify(requests)).not.toContain("acme");
});

test("requests without a tenant have none", async () => {
  const { client, asked } = createPacedWorld();
  await client.tasks.run(SONG_REQUEST);
  expect(asked.map(({ tenant }) => tenant)).toEqual([undefined, undefined]);
});

test("a batch has one tenant, or one for each of its requests", async () => {
  const { client, asked } = createPacedWorld();
  const tenantsOf = async (tenant: string | ((request: TaskRequest, index: number) => string)) => {
    asked.length = 0;
    await all(client.tasks.runAll([SONG_REQUEST, SONG_REQUEST], { tenant, concurrency: 1 }));
    return asked.map((request) => request.tenant);
  };
  expect(await tenantsOf("acme")).toEqual(["acme", "acme", "acme", "acme"]);
  const byType = ({ task_type }: TaskRequest, index: number) => `${task_type}-${index}`;
  expect(await tenantsOf(byType)).toEqual(["music-0", "music-0", "music-1", "music-1"]);
});

test.each([
  ["", "a string of 1 to 200 characters"],
  ["x".repeat(201), "a string of 1 to 200 characters"],
  [7, "a string of 1 to 200 characters"],
  [null, "a string of 1 to 200 characters"],
  [`of ${API_KEY}`, "not contain the API key"],
])("the tenant %j is refused by every call before anything is sent", async (given, rule) => {
  const { client, requests } = createPacedWorld();
  const options = { tenant: given as string };
  const calls = [
    () => client.tasks.create(SONG_REQUEST, options),
    () => client.tasks.retrieve(TASK_ID, options),
    () => client.tasks.wait(TASK_ID, options),
    async () => client.tasks.watch(TASK_ID, options),
    () => client.tasks.run(SONG_REQUEST, options),
    async () => client.tasks.runAll([SONG_REQUEST], options),
  ];
  for (const call of calls) {
    const error = await rejection(call(), InvalidOptionError);
    expect(error).toMatchObject({ option: "tenant", message: expect.stringContaining(rule) });
    expect(JSON.stringify(error)).not.toContain(API_KEY);
  }
  expect(requests).toEqual([]);
});

test("a tenant that the function of a batch does not name fails its own request, before anything is sent", async () => {
  const { client, requests } = createPacedWorld();
  const names = [undefined, "", `of ${API_KEY}`, "acme"];
  const tenant = (_: TaskRequest, index: number) => names[index] as string;
  const results = await all(
    client.tasks.runAll(
      [1, 2, 3, 4].map(() => SONG_REQUEST),
      { tenant },
    ),
  );
  const failed = results.filter(({ error }) => error instanceof InvalidOptionError);
  expect(failed.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("what the function of a batch throws is the cause of the error of its own request", async () => {
  const { client, requests } = createPacedWorld();
  const thrown = new Error("no such customer");
  const tenant = () => {
    throw thrown;
  };
  const [result] = await all(client.tasks.runAll([SONG_REQUEST], { tenant }));
  expect(result?.error).toBeInstanceOf(AsyncMusicError);
  expect(result?.error).toMatchObject({ cause: thrown, message: expect.stringContaining("`tenant` threw") });
  expect(requests).toEqual([]);
});

test("a call that is about no task refuses a tenant, and names the calls that accept it", async () => {
  const { client } = createWorld(() => balance());
  const error = await rejection(client.account.balance({ tenant: "acme" } as never), InvalidOptionError);
  expect(error.message).toBe("`tenant` is not an option here. Pass it to the calls about tasks.");
});

test("creates of many tenants use each window to its end, as those of one tenant do", async () => {
  const minutesOf = async (tenants: number) => {
    const { client, clock, requests, refused } = createLimitedWorld((_, index) =>
      accepted(submission({ task_id: `task-${index}` })),
    );
    const tenantOf = (index: number) => (tenants === 0 ? undefined : `tenant-${index % tenants}`);
    const creates = Array.from({ length: 360 }, (_, index) =>
      client.tasks.create(SONG_REQUEST, { tenant: tenantOf(index) }),
    );
    await Promise.all(creates);
    expect([refused(), requests.length]).toEqual([0, 360]);
    return Math.floor(clock.elapsed() / 60_000);
  };
  const alone = await minutesOf(0);
  for (const tenants of [1, 2, 7, 200]) expect([tenants, await minutesOf(tenants)]).toEqual([tenants, alone]);
});

test("the next create is that of another tenant, however many a tenant has queued", async () => {
  const { client, requests, refused } = createLimitedWorld(
    (_, index) => accepted(submission({ task_id: `task-${index}` })),
    { requests: 10 },
  );
  const queued = Array.from({ length: 100 }, () => client.tasks.create(SONG_REQUEST, { tenant: "acme" }));
  await queued[0];
  const before = requests.length;
  await client.tasks.create(SONG_REQUEST, { tenant: "other" });
  expect(requests.length - before).toBeLessThanOrEqual(2);
  expect(refused()).toBe(0);
  await Promise.all(queued);
});

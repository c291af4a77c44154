import {
  checkCompliance,
  createEmulator,
  type Emulator,
  type Policy,
  type ScopedOutcome,
} from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { coreOf } from "../../emulator/http/service.js";
import { failWith } from "../support/faults.js";
import { pollTwice } from "../vitest/poll-twice.js";
import { eventsOf } from "./support/events.js";
import { problemsOf } from "./support/problems.js";
import { BALANCE, clipsOf, controlled, serviceOf, TASK, VALID } from "./support/service.js";

/** Two accounts of one emulator, each as a service with the control plane. */
function createNeighbors() {
  const emulator = createEmulator();
  const createTenant = () => {
    const { account_id, api_key } = emulator.accounts.create({ credits: 1_000 });
    return { account_id, api_key, ...controlled(serviceOf(emulator, { apiKey: api_key })) };
  };
  return { emulator, one: createTenant(), other: createTenant() };
}

const HANG = { outcome: "hang" };

type Neighbor = ReturnType<typeof createNeighbors>["one"];

/** Each way to scope a call: in process, and over HTTP with `account_id` in the body or in the query. */
const DOORS = {
  "in process": {
    fault: async ({ emulator, account_id }: Neighbor, path: string) =>
      emulator.faults.add({ account_id, path, fault: failWith(503) }),
    clearFaults: async ({ emulator, account_id: accountId }: Neighbor) =>
      emulator.faults.clear({ accountId }),
    faults: async ({ emulator, account_id: accountId }: Neighbor) => emulator.faults.list({ accountId }),
    next: async ({ emulator, account_id }: Neighbor, outcome: ScopedOutcome) =>
      emulator.providers.provider_a.next({ account_id, ...outcome }),
    always: async ({ emulator, account_id: accountId }: Neighbor, outcome: ScopedOutcome | null) =>
      emulator.providers.provider_a.always(outcome, { accountId }),
    limit: async ({ emulator, account_id: accountId }: Neighbor, requests: number) =>
      void emulator.changeLimits({ requests }, { accountId }),
    policy: async ({ emulator, account_id: accountId }: Neighbor, changes: Partial<Policy>) =>
      void emulator.changePolicy(changes, { accountId }),
    requests: async ({ emulator, account_id }: Neighbor) => emulator.accounts.requests(account_id),
    audit: async ({ emulator, account_id: accountId }: Neighbor) => emulator.audit({ accountId }),
    state: async ({ emulator, account_id: accountId }: Neighbor) => emulator.state({ accountId }),
  },
  "over HTTP, in the body": overHttp("body"),
  "over HTTP, in the query": overHttp("query"),
};

function overHttp(place: "body" | "query") {
  const read = async ({ control, account_id }: Neighbor, path: string) =>
    (await control("GET", `${path}?account_id=${account_id}`)).body;
  /** Only a body that is an object has room for the account. */
  const write = ({ control, account_id }: Neighbor, method: string, path: string, body?: object | null) =>
    place === "body" && body
      ? control(method, path, { account_id, ...body })
      : control(method, `${path}?account_id=${account_id}`, body);
  return {
    fault: (tenant: Neighbor, path: string) =>
      write(tenant, "POST", "/faults", { path, fault: failWith(503) }),
    clearFaults: (tenant: Neighbor) => write(tenant, "DELETE", "/faults"),
    faults: async (tenant: Neighbor) => (await read(tenant, "/faults")).faults,
    next: (tenant: Neighbor, outcome: ScopedOutcome) =>
      write(tenant, "POST", "/providers/provider_a/next", outcome),
    always: (tenant: Neighbor, outcome: ScopedOutcome | null) =>
      write(tenant, "PUT", "/providers/provider_a/always", outcome),
    limit: (tenant: Neighbor, requests: number) => write(tenant, "PATCH", "/limits", { requests }),
    policy: (tenant: Neighbor, changes: Partial<Policy>) => write(tenant, "PATCH", "/policy", changes),
    requests: async (tenant: Neighbor) => (await read(tenant, "/requests")).requests,
    audit: async (tenant: Neighbor) => (await read(tenant, "/audit")).findings,
    state: async (tenant: Neighbor) => read(tenant, "/state"),
  };
}

describe.each(Object.entries(DOORS))("%s", (_, door) => {
  test("a fault of an account fires only for requests of its keys and for its files", async () => {
    const { emulator, one, other } = createNeighbors();
    await door.fault(one, BALANCE);
    await door.fault(one, "/audio/*");
    expect((await other.get(BALANCE)).status).toBe(200);
    expect((await serviceOf(emulator).get(BALANCE)).status).toBe(200);
    expect((await one.get(BALANCE)).status).toBe(503);
    expect((await one.get(BALANCE)).status).toBe(200);

    const [[own], [foreign]] = [await clipsOf(one), await clipsOf(other)];
    // Downloads send no key.
    expect((await emulator.fetch(foreign.audio_url)).status).toBe(200);
    expect((await emulator.fetch(own.audio_url)).status).toBe(503);
  });

  test("an account lists and removes only its own faults", async () => {
    const { emulator, one, other } = createNeighbors();
    emulator.faults.add({ path: "/x", fault: failWith(500) });
    await door.fault(one, "/one");
    await door.fault(other, "/other");
    const { account_id } = one;
    const rule = { path: "/one", fault: failWith(503), account_id };
    expect(await door.faults(one)).toEqual([{ rule, left: 1 }]);
    await door.clearFaults(one);
    expect(emulator.faults.list().map(({ rule }) => rule.path)).toEqual(["/x", "/other"]);
  });

  test("an outcome of an account is for its tasks alone, and wins over those for all", async () => {
    const { emulator, one, other } = createNeighbors();
    const end = async (tenant: Neighbor) => (await tenant.read(await tenant.create())).status;
    emulator.providers.provider_a.always({ outcome: "failure", polls: 1 });
    await door.next(one, { polls: 1 });
    await door.always(other, { outcome: "failure", error_code: "content_moderation", polls: 2 });
    expect([await end(other), await end(other)]).toEqual(["running", "running"]);
    expect([await end(one), await end(one)]).toEqual(["success", "failure"]);
    await door.always(other, null);
    expect(await end(other)).toBe("failure");
  });

  test("a limit of an account leaves the others' unchanged, and outlasts a change for all", async () => {
    const { emulator, one, other } = createNeighbors();
    const remaining = async (tenant: Neighbor) =>
      (await tenant.get(BALANCE)).headers.get("X-RateLimit-Remaining");
    await door.limit(one, 2);
    emulator.changeLimits({ requests: 50 });
    expect(await remaining(one)).toBe("1");
    expect(await remaining(other)).toBe("49");
    expect(await remaining(one)).toBe("0");
    expect((await one.get(BALANCE)).status).toBe(429);
    expect((await door.state(one)).limits.requests).toBe(2);
    expect(emulator.limits.requests).toBe(50);
  });

  test("a policy of an account leaves the others' unchanged, and outlasts a change for all", async () => {
    const { emulator, one, other } = createNeighbors();
    await door.policy(one, {
      ...{ null_audio_format: "omitted", audio_conversion: "off", audio_format_unavailable_status: 422 },
      ...{ running_after: "first_read", late_success: "success", timeout_error_code: "rate_limited" },
      rate_limit_window: "sliding",
    });
    emulator.changePolicy({ audio_conversion: "failing" });
    const statusOf = async ({ post }: Neighbor, audio_format: string | null) =>
      (await post({ ...VALID.song, audio_format })).status;
    expect([await statusOf(one, null), await statusOf(other, null)]).toEqual([202, 400]);
    expect([await statusOf(one, "mp3"), await statusOf(other, "mp3")]).toEqual([422, 202]);
    const firstStatus = async ({ create, read }: Neighbor) =>
      (await read(await create(VALID.song, { queue_seconds: 60 }))).status;
    expect([await firstStatus(one), await firstStatus(other)]).toEqual(["running", "pending"]);

    const endsIn = async ({ create, read }: Neighbor) => {
      const ids = [await create(VALID.song, { process_seconds: 60 }), await create(VALID.song, HANG)];
      await emulator.clock.advance(3_600_001);
      const ends = [await read(ids[0] ?? ""), await read(ids[1] ?? "")];
      return ends.map(({ status, error_code }) => `${status} ${error_code}`);
    };
    expect(await endsIn(one)).toEqual(["success null", "timeout rate_limited"]);
    expect(await endsIn(other)).toEqual(Array(2).fill("timeout upstream_provider_error"));
    expect((await door.state(one)).policy.audio_conversion).toBe("off");
    const kinds = coreOf(emulator).state.accounts.map(({ keys }) => keys[0]?.window?.kind);
    expect(kinds).toEqual([undefined, "sliding", "fixed"]);
  });

  test("the log, the findings and the state of an account have nothing of another one", async () => {
    const { emulator, one, other } = createNeighbors();
    for (const tenant of [one, other, one]) {
      const taskId = await tenant.create(VALID.song, { polls: 2 });
      await Promise.all([tenant.read(taskId), tenant.read(taskId)]);
    }
    const { task_id } = (await door.state(one)).tasks[0] ?? {};
    await emulator.fetch((await one.read(String(task_id))).output.result[0].audio_url);
    await emulator.fetch(emulator.url + BALANCE);

    const paths = async (tenant: Neighbor) =>
      (await door.requests(tenant)).map(({ path }: { path: string }) => path.replace(/[\w-]{36}$/, "*"));
    const round = [TASK, `${TASK}/*`, `${TASK}/*`];
    expect(await paths(other)).toEqual(round);
    expect(await paths(one)).toEqual([...round, ...round, `${TASK}/*`, "/audio/*"]);
    const findings = [await door.audit(other), await door.audit(one), emulator.audit()];
    expect(findings.map(({ length }) => length)).toEqual([1, 2, 3]);
    for (const finding of await door.audit(one))
      expect(Object.keys(finding)).toEqual(["rule", "at", "request_id", "detail"]);
    const { accounts, tasks } = await door.state(other);
    expect(accounts).toMatchObject([{ account_id: other.account_id }]);
    expect(tasks).toHaveLength(1);
  });
});

test("an unknown account is named in every scoped call in process, which changes nothing", () => {
  const UNKNOWN = "0b6e4e1c-3f6d-4a7e-9c55-1f2d3c4b5a69";
  const MESSAGE = `No account has the ID ${UNKNOWN}. Check the ID; a reset or a restore removes earlier ones.`;

  const emulator = createEmulator();
  const before = JSON.stringify(emulator.snapshot());
  const { provider_a } = emulator.providers;
  const scope = { accountId: UNKNOWN };
  for (const call of [
    () => emulator.faults.add({ account_id: UNKNOWN, fault: { kind: "stall" } }),
    () => emulator.faults.list(scope),
    () => emulator.faults.clear(scope),
    () => provider_a.next({ account_id: UNKNOWN }),
    () => provider_a.always({ account_id: UNKNOWN }),
    () => provider_a.always(null, scope),
    () => emulator.changeLimits({ requests: 5 }, scope),
    () => emulator.changePolicy({ late_success: "success" }, scope),
    () => emulator.audit(scope),
    () => emulator.state(scope),
    () => emulator.onRequest(() => {}, scope),
    () => emulator.accounts.requests(UNKNOWN),
    () => checkCompliance(emulator, scope),
  ])
    expect(call).toThrow(MESSAGE);
  expect(JSON.stringify(emulator.snapshot())).toBe(before);
});

test("a query that would be ignored is refused, since the call would apply to all accounts", async () => {
  const { one, other } = createNeighbors();
  const before = one.frozenState();
  const messageOf = async (method: string, path: string, body?: unknown) => {
    const reply = await one.control(method, path, body);
    expect(reply.status).toBe(400);
    return reply.body.message;
  };
  expect(await messageOf("DELETE", "/faults?acount_id=1")).toBe(
    "Unknown query parameter `acount_id`. Did you mean `account_id`?",
  );
  expect(await messageOf("POST", `/reset?account_id=${one.account_id}`)).toBe(
    "Unknown query parameter `account_id`. This call has no parameters.",
  );
  const inBoth = { account_id: other.account_id, requests: 1 };
  expect(await messageOf("PATCH", `/limits?account_id=${one.account_id}`, inBoth)).toContain(
    `\`account_id\` is ${other.account_id} in the body, but ${one.account_id} outside it.`,
  );
  const both = `/faults?account_id=${one.account_id}&account_id=${other.account_id}`;
  expect(await messageOf("DELETE", both)).toBe("Pass `account_id` once.");
  expect(one.frozenState()).toBe(before);
  expect((await one.control("GET", "/health?time=1")).status).toBe(200);
});

test("a stream of an account's requests has only these", async () => {
  const { one, other } = createNeighbors();
  for (const path of ["/requests/stream", "/exchanges/stream"]) {
    const { fetch, url } = one.emulator;
    const events = eventsOf(await fetch(`${url}/_emulator${path}?account_id=${one.account_id}`));
    for (const id of ["1", "2"]) {
      for (const tenant of [other, one]) await tenant.get(BALANCE, { "X-Request-Id": id });
      expect(await events.next()).toMatchObject({ request_id: id, account_id: one.account_id });
    }
    await events.leave();
  }
});

test("an archive of an account's requests has no request of another one", async () => {
  const { one, other } = createNeighbors();
  for (const tenant of [one, other, one]) await tenant.balance();
  const { account_id } = one;
  const { log } = (await one.control("POST", "/exchanges/har", { account_id })).body;
  expect(log.entries).toHaveLength(2);
  const foreign = (await one.control("POST", "/exchanges/har", { account_id, numbers: [1, 2] })).body;
  expect(foreign.log.entries).toHaveLength(1);
});

test("a listener for an account receives only its requests", async () => {
  const { emulator, one, other } = createNeighbors();
  const seen: (string | null)[] = [];
  const remove = emulator.onRequest((request) => seen.push(request.account_id), {
    accountId: one.account_id,
  });
  for (const tenant of [one, other, one]) await tenant.balance();
  remove();
  await one.balance();
  expect(seen).toEqual([one.account_id, one.account_id]);
});

test("a snapshot keeps the faults, outcomes, limits and findings of each account", async () => {
  const { emulator, one, other } = createNeighbors();
  const { account_id } = one;
  emulator.faults.add({ account_id, path: BALANCE, times: 2, probability: 0.5, fault: failWith(500) });
  emulator.providers.provider_a.next({ account_id, outcome: "reject" });
  emulator.changeLimits({ requests: 9 }, { accountId: account_id });
  emulator.changePolicy({ null_audio_format: "omitted" }, { accountId: account_id });
  const taskId = await one.create(VALID.lyrics, { polls: 5 });
  await Promise.all([one.read(taskId), one.read(taskId)]);
  const use = async (each: Emulator) => {
    const statuses = [];
    for (const { api_key } of [one, other]) {
      const { get, post } = serviceOf(each, { apiKey: api_key });
      for (let round = 0; round < 6; round++) statuses.push((await get(BALANCE)).status);
      statuses.push((await post(VALID.song)).status);
    }
    return [statuses, each.audit({ accountId: account_id }), each.state({ accountId: account_id })];
  };
  const copy = createEmulator({ snapshot: emulator.snapshot() });
  expect(JSON.stringify(copy.snapshot())).toBe(JSON.stringify(emulator.snapshot()));
  expect(await use(copy)).toEqual(await use(emulator));

  const snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
  const rule = { fault: failWith(500), account_id: "x" };
  snapshot.state.faults.push({ ordinal: 0, rule, left: 1, met: 0 });
  expect(() => copy.restore(snapshot)).toThrow("`snapshot` is inconsistent");
});

describe("`checkCompliance` of an account", () => {
  const breakRule = ({ emulator, apiKey }: Neighbor) => pollTwice(emulator, { apiKey });

  test("reports its own problems, once, and leaves those of the others", async () => {
    const { emulator, one, other } = createNeighbors();
    for (const { account_id } of [one, other]) {
      emulator.faults.add({ account_id, path: `/${account_id}`, fault: { kind: "stall" } });
      emulator.providers.provider_b.next({ account_id, outcome: "failure" });
    }
    await breakRule(one);
    await breakRule(other);
    for (const { account_id: accountId } of [one, other]) {
      const message = problemsOf(emulator, { accountId }) ?? "";
      expect(message.match(/polled_too_often, /g)).toHaveLength(1);
      const owned = `"account_id":"${accountId}"`;
      expect(message).toContain(`faults.add({"path":"/${accountId}","fault":{"kind":"stall"},${owned}})`);
      expect(message).toContain(`providers.provider_b.next({${owned},"outcome":"failure"})`);
      expect(message.match(/faults\.add|next\(/g)).toHaveLength(2);
      checkCompliance(emulator, { accountId });
    }
  });

  test("ignores faults, outcomes and findings of all accounts and of others, also after a reset", async () => {
    const { emulator, one, other } = createNeighbors();
    emulator.faults.add({ path: "/x", fault: { kind: "stall" } });
    emulator.providers.provider_a.next({ outcome: "success" });
    await breakRule(other);
    await breakRule(other);
    checkCompliance(emulator, { accountId: one.account_id });
    expect(problemsOf(emulator)).toContain("polled_too_often");

    await breakRule(other);
    const { accountId } = emulator;
    emulator.reset();
    checkCompliance(emulator, { accountId });
    expect(problemsOf(emulator)).toContain("polled_too_often");
  });

  test("checks the credits of this account alone", () => {
    const { emulator, one, other } = createNeighbors();
    const { state } = coreOf(emulator);
    for (const { id, ledger } of state.accounts) if (id === other.account_id) ledger.available -= 1;
    checkCompliance(emulator, { accountId: one.account_id });
    expect(problemsOf(emulator, { accountId: other.account_id })).toBe(
      "Not all credits are accounted for. Report this defect of the emulator.",
    );
  });
});

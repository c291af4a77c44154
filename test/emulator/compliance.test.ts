import { AsyncMusic } from "async-music";
import { checkCompliance, createEmulator, type Emulator } from "async-music/emulator";
import { expect, test } from "vitest";
import { coreOf } from "../../emulator/http/service.js";
import { pollTwice, SONG } from "../vitest/poll-twice.js";
import { problemsOf } from "./support/problems.js";
import { createService } from "./support/service.js";

const LOST = { method: "POST", fault: { kind: "disconnect", when: "after" } } as const;

const clientOf = (emulator: Emulator) => new AsyncMusic(emulator.connection());

async function payTwice(emulator: Emulator): Promise<void> {
  const client = clientOf(emulator);
  emulator.faults.add(LOST);
  await client.tasks.run(SONG).catch(() => client.tasks.run(SONG));
}

test("a compliant client passes the check, even after the emulator is disposed", async () => {
  const emulator = createEmulator();
  emulator.faults.add({ method: "GET", fault: { kind: "latency", ms: 1 } });
  await clientOf(emulator).tasks.run(SONG);
  expect(problemsOf(emulator)).toBeNull();
  await emulator[Symbol.asyncDispose]();
  expect(problemsOf(emulator, {})).toBeNull();
});

test("the error lists every broken rule, every unused fault and outcome, and missing credits", async () => {
  const emulator = createEmulator();
  emulator.faults.add({ path: "/api/v1/tasks", fault: { kind: "malformed" } });
  await pollTwice(emulator);
  await payTwice(emulator);
  emulator.providers.provider_b.next({ outcome: "failure" });
  for (const { ledger } of coreOf(emulator).state.accounts) ledger.available -= 1;

  const message = problemsOf(emulator, { breaks: ["ignored_retry_after"] }) ?? "";
  const parts = message.split("\n\n");
  expect(parts).toEqual([
    expect.stringMatching(/^The client broke rules of the service:\n- polled_too_often, GET /),
    "Declared with `breaks`, but no request broke them: ignored_retry_after. Remove them from the test.",
    expect.stringMatching(/^Unused faults:\n- /),
    expect.stringMatching(/^Unused outcomes:\n- providers.provider_b.next\(/),
    "Not all credits are accounted for. Report this defect of the emulator.",
  ]);
  expect(parts[0]).toMatch(
    /\n- resubmitted_after_unknown_outcome, POST \/api\/v1\/task \(music, 3 of 3\), .*Repeated submission POST \/api\/v1\/task \(music, 2 of 3\), /,
  );
  expect(parts[0]).toContain(
    'on purpose, pass `breaks: ["polled_too_often", "resubmitted_after_unknown_outcome"]`.',
  );
  expect(parts[2]).toContain(
    '- faults.add({"path":"/api/v1/tasks","fault":{"kind":"malformed"}}): no request matched it. After it was added, the test sent POST /api/v1/task, GET /api/v1/task/*\n',
  );
});

test("of two outcomes and one task, the second outcome is unused", async () => {
  const emulator = createEmulator();
  for (const queue_seconds of [1, 2]) emulator.providers.provider_a.next({ queue_seconds });
  await clientOf(emulator).tasks.run(SONG);
  expect(problemsOf(emulator)).toMatch(
    /^Unused outcomes:\n- providers\.provider_a\.next\(\{"queue_seconds":2\}\)[^-]*$/,
  );
});

test("an unused fault of a test without requests is named with that", () => {
  const emulator = createEmulator();
  emulator.faults.add({ times: 3, fault: { kind: "stall" } });
  expect(problemsOf(emulator)).toContain("After it was added, the test sent nothing\n");
});

test("a list of paths has `*` for an ID in any case", async () => {
  const { emulator, create, read } = createService();
  emulator.faults.add({ path: "/no", fault: { kind: "stall" } });
  const taskId = await create();
  await read(taskId.toUpperCase());
  expect(problemsOf(emulator)).toContain("the test sent POST /api/v1/task, GET /api/v1/task/*\n");
});

const REMOVED = " before a reset or a restore removed it. In this time, the test sent nothing";

test.each<[string, remove: (emulator: Emulator) => void, reason: string]>([
  ["too late", () => {}, ". After it was added, the test sent nothing"],
  ["before a reset", (emulator) => void emulator.reset(), REMOVED],
  ["before a restore", (emulator) => emulator.restore(createEmulator().snapshot()), REMOVED],
])(
  "a fault that was added %s is reported with the requests that it could fire on",
  async (_, remove, reason) => {
    const emulator = createEmulator();
    await clientOf(emulator).account.balance();
    emulator.faults.add({ fault: { kind: "stall" } });
    remove(emulator);
    if (reason === REMOVED) await clientOf(emulator).account.balance();
    expect(problemsOf(emulator)?.split("\n")).toEqual([
      "Unused faults:",
      `- faults.add({"fault":{"kind":"stall"}}): no request matched it${reason}`,
      expect.stringContaining("Add a fault before the requests"),
    ]);
  },
);

test("an unused fault of an account is reported with the requests of this account", async () => {
  const emulator = createEmulator();
  const { account_id: accountId, api_key: apiKey } = emulator.accounts.create({ credits: 10 });
  emulator.faults.add({ account_id: accountId, method: "POST", fault: { kind: "malformed" } });
  await clientOf(emulator).tasks.run(SONG);
  await new AsyncMusic(emulator.connection({ apiKey })).account.usage();
  const sent = "After it was added, the account sent GET /api/v1/account/usage\n";
  expect(problemsOf(emulator, { accountId })).toContain(sent);
  emulator.faults.add({ account_id: accountId, method: "POST", fault: { kind: "malformed" } });
  expect(problemsOf(emulator)).toContain("After it was added, the account sent nothing\n");
});

test("a submission that created no task is named with its type", async () => {
  const emulator = createEmulator();
  const client = clientOf(emulator);
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "before" } });
  await client.tasks.create(SONG).catch(() => client.tasks.create(SONG));
  expect(problemsOf(emulator)).toContain("Repeated submission POST /api/v1/task (music, 1 of 2), ");
});

test("`breaks` allows the rules that it names, and only those", async () => {
  const emulator = createEmulator();
  await pollTwice(emulator);
  expect(problemsOf(emulator, { breaks: ["polled_too_often"] })).toBeNull();
  const other = createEmulator();
  await pollTwice(other);
  expect(problemsOf(other, { breaks: ["resent_not_retryable"] })).toMatch(
    /- polled_too_often.*no request broke them: resent_not_retryable/s,
  );
});

test("of a failed test, only broken rules are reported", async () => {
  const emulator = createEmulator();
  emulator.faults.add({ ...LOST, path: "/elsewhere" });
  expect(problemsOf(emulator, { breaks: ["polled_too_often"], failed: true })).toBeNull();
  await pollTwice(emulator);
  expect(problemsOf(emulator, { failed: true })).toMatch(/^The client broke .*\n- polled_too_often/);
});

test("each check covers what happened since the last one, failed or not", async () => {
  const emulator = createEmulator();
  await pollTwice(emulator);
  emulator.faults.add({ ...LOST, path: "/elsewhere" });
  emulator.providers.provider_b.next({ outcome: "failure" });
  expect(problemsOf(emulator)).toMatch(/polled_too_often.*elsewhere.*provider_b/s);
  expect(problemsOf(emulator)).toBeNull();
  emulator.faults.add({ ...LOST, path: "/other" });
  await clientOf(emulator).account.balance();
  const later = problemsOf(emulator);
  expect(later).toContain("the test sent GET /api/v1/account/balance\n");
  expect(later).not.toMatch(/polled|elsewhere|provider_b/);
});

test("resets and restores hide no broken rule", async () => {
  const emulator = createEmulator();
  const empty = emulator.snapshot();
  await pollTwice(emulator);
  emulator.reset();
  await payTwice(emulator);
  emulator.restore(empty);
  expect(emulator.audit()).toEqual([]);
  expect(problemsOf(emulator)).toMatch(
    /^.*\n- polled_too_often, GET \S+ \(music, 2 of 2\), .*\n- resubmitted_after_unknown_outcome, POST \S+ \(music, 2 of 2\), .*\n.*$/,
  );
  emulator.reset();
  expect(problemsOf(emulator)).toBeNull();
});

test("resets and restores hide no unused fault or outcome, and each is reported once", async () => {
  const emulator = createEmulator();
  const empty = emulator.snapshot();
  emulator.faults.add({ path: "/first", fault: { kind: "stall" } });
  await clientOf(emulator).account.balance();
  emulator.reset();
  emulator.faults.add({ path: "/used", fault: { kind: "stall" } });
  emulator.faults.clear();
  emulator.providers.provider_a.next({ outcome: "failure" });
  emulator.restore(empty);
  emulator.faults.add({ path: "/last", fault: { kind: "stall" } });
  expect(problemsOf(emulator)?.split("\n")).toEqual([
    "Unused faults:",
    '- faults.add({"path":"/first","fault":{"kind":"stall"}}): no request matched it before a reset or a restore removed it. In this time, the test sent GET /api/v1/account/balance',
    '- faults.add({"path":"/last","fault":{"kind":"stall"}}): no request matched it. After it was added, the test sent nothing',
    expect.stringContaining("`path`"),
    "",
    "Unused outcomes:",
    expect.stringContaining('- providers.provider_a.next({"outcome":"failure"})'),
    expect.any(String),
  ]);
  emulator.reset();
  expect(problemsOf(emulator)).toBeNull();
});

test("what a restored snapshot contains can be used after the restore, and may stay unused", async () => {
  const emulator = createEmulator();
  emulator.faults.add({ path: "/api/v1/account/balance", fault: { kind: "latency", ms: 1 } });
  emulator.providers.provider_a.next({ process_seconds: 1 });
  const prepared = emulator.snapshot();
  for (let test = 0; test < 2; test++) {
    emulator.restore(prepared);
    expect(problemsOf(emulator)).toBeNull();
  }
  await clientOf(emulator).account.balance();
  await clientOf(emulator).tasks.run(SONG);
  expect(emulator.requests).not.toHaveLength(0);
  emulator.providers.provider_a.next({ process_seconds: 2 });
  expect(problemsOf(emulator)).toMatch(/^Unused outcomes:\n- .*"process_seconds":2.*\n[^-]*$/);
});

test("of an account's fault before a reset, only its own requests are named", async () => {
  const emulator = createEmulator();
  const { accountId } = emulator;
  const other = emulator.accounts.create();
  emulator.faults.add({ path: "/own", account_id: accountId, fault: { kind: "stall" } });
  await new AsyncMusic({ ...emulator.connection(), apiKey: other.api_key }).account.usage();
  emulator.reset();
  expect(problemsOf(emulator, { accountId })).toContain("In this time, the account sent nothing");
});

test("of a check of one account, unused faults before a reset are its own, and stay for the others", () => {
  const emulator = createEmulator();
  const { accountId } = emulator;
  emulator.faults.add({ path: "/own", account_id: accountId, fault: { kind: "stall" } });
  emulator.faults.add({ path: "/shared", fault: { kind: "stall" } });
  emulator.reset();
  expect(problemsOf(emulator, { accountId })).toMatch(/^Unused faults:\n- .*"\/own".*\n[^-]*$/);
  expect(problemsOf(emulator)).toMatch(/^Unused faults:\n- .*"\/shared".*\n[^-]*$/);
});

test.each([(_: Emulator) => {}, (emulator: Emulator) => void emulator.reset()])(
  "an unused fault that an earlier one preceded is reported with that one",
  async (end) => {
    const emulator = createEmulator();
    const client = clientOf(emulator);
    emulator.faults.add({ method: "GET", times: 2, fault: { kind: "latency", ms: 0 } });
    emulator.faults.add({ method: "GET", fault: { kind: "malformed" } });
    emulator.faults.add({ method: "POST", fault: { kind: "malformed" } });
    await client.account.balance();
    await client.account.balance();
    end(emulator);
    expect(problemsOf(emulator)?.split("\n").slice(1, 3)).toEqual([
      '- faults.add({"method":"GET","fault":{"kind":"malformed"}}): faults.add({"method":"GET","times":2,"fault":{"kind":"latency","ms":0}}) was added before it, and fired on the request that matched it',
      expect.stringMatching(/: no request matched it.*, the test sent GET \/api\/v1\/account\/balance$/),
    ]);
  },
);

test("findings and faults that came with a snapshot or a fork do not count", async () => {
  const donor = createEmulator();
  await pollTwice(donor);
  donor.faults.add({ ...LOST, path: "/elsewhere" });
  donor.providers.provider_b.next({ outcome: "failure" });
  const restored = createEmulator();
  restored.restore(donor.snapshot());
  for (const emulator of [donor.fork(), createEmulator({ snapshot: donor.snapshot() }), restored]) {
    expect([emulator.audit(), emulator.faults.list()]).toMatchObject([[{}], [{}]]);
    expect(problemsOf(emulator)).toBeNull();
  }
});

test("a fork is checked alone", async () => {
  const emulator = createEmulator();
  const fork = emulator.fork();
  await pollTwice(fork);
  expect(problemsOf(emulator)).toBeNull();
  expect(problemsOf(fork)).toContain("polled_too_often");
});

test("faults and outcomes that may stay unused, were used once, or were removed are no problem", async () => {
  const { emulator, create, balance } = createService();
  const { faults, providers } = emulator;
  faults.add({ ...LOST, path: "/elsewhere", probability: 1 });
  faults.add({ ...LOST, path: "/elsewhere", probability: 1, times: 2 });
  providers.provider_b.always({ outcome: "failure" });
  faults.add({ fault: { kind: "latency", ms: 1 }, times: 2 });
  await balance();
  expect(problemsOf(emulator)).toBeNull();
  faults.add(LOST);
  faults.clear();
  await create();
  expect(problemsOf(emulator)).toBeNull();
});

test("the problems of many replaced states do not accumulate without limit", async () => {
  const emulator = createEmulator();
  await pollTwice(emulator);
  const { findings } = coreOf(emulator).state.audit;
  for (let round = 0; round < 3; round++) {
    const [finding] = findings;
    const { audit } = coreOf(emulator).state;
    for (let each = 0; each < 6_000; each++) audit.findings.push({ ...finding } as (typeof findings)[0]);
    for (let each = 0; each < 6_000; each++) emulator.faults.add(LOST);
    emulator.reset();
  }
  expect(problemsOf(emulator)?.match(/^- /gm)).toHaveLength(20_000);
});

test("invalid options are refused", () => {
  const emulator = createEmulator();
  const check = checkCompliance as (emulator: Emulator, options: unknown) => void;
  expect(() => check(emulator, { break: [] })).toThrow("Unknown option `break`. Did you mean `breaks`?");
  expect(() => check(emulator, { breaks: "polled_too_often" })).toThrow("`breaks` must be a list; got ");
  expect(() => check(emulator, { breaks: ["polled"] })).toThrow(
    "`breaks[0]` must be one of polled_too_often",
  );
  expect(() => check(emulator, { failed: "yes" })).toThrow("`failed` must be true or false");
  expect(() => check({} as Emulator, {})).toThrow("Not an emulator");
});

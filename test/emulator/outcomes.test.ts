import type { Outcome } from "async-music/emulator";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { failWith } from "../support/faults.js";
import { BALANCE, createService, type Service, VALID } from "./support/service.js";

describe("the outcome of a task", () => {
  const failure = (error: string) => ({ outcome: "failure", polls: 1, error }) as const;

  test("`next` applies to the next task of its provider, and several apply in order", async () => {
    const { create, read, emulator } = createService();
    emulator.providers.provider_a.next(failure("first"));
    emulator.providers.provider_a.next(failure("second"));
    for (const [body, error] of [
      [VALID.providerB, null],
      [VALID.song, "first"],
      [VALID.lyrics, "second"],
      [VALID.song, null],
    ] as const)
      expect((await read(await create(body))).error).toBe(error);
  });

  test("`always` applies to every other task until it is removed", async () => {
    const { create, read, emulator } = createService();
    const { provider_a: provider } = emulator.providers;
    provider.always(failure("always"));
    provider.next(failure("next"));
    for (const error of ["next", "always", "always"]) expect((await read(await create())).error).toBe(error);
    provider.always(null);
    expect((await read(await create())).error).toBeNull();
  });

  test("the request's header overrides both, and does not use up `next`", async () => {
    const { create, read, emulator } = createService();
    emulator.providers.provider_a.next(failure("next"));
    expect((await read(await create(VALID.song, failure("header")))).error).toBe("header");
    expect((await read(await create(VALID.song))).error).toBe("next");
  });
});

test.each([
  ["content_moderation", false],
  ["invalid_task_input", false],
  ["rate_limited", true],
  ["upstream_provider_error", true],
])("a failure with %s has a message, and is retryable by default: %s", async (errorCode, retryable) => {
  const { create, read } = createService();
  const outcome = { outcome: "failure", polls: 1, error_code: errorCode };
  expect(await read(await create(VALID.song, outcome))).toMatchObject({
    status: "failure",
    error: expect.stringMatching(/./),
    error_code: errorCode,
    retryable,
    retry_after_seconds: null,
  });
  const said = await read(await create(VALID.song, { ...outcome, retryable: !retryable }));
  expect(said.retryable).toBe(!retryable);
});

test.each([1, 2, 3])("`polls: %i` finishes a task at that read, whatever the time", async (polls) => {
  const { create, read, advance } = createService();
  const taskId = await create(VALID.song, { polls });
  await advance(1_000_000);
  for (let poll = 1; poll < polls; poll++) expect((await read(taskId)).status).toBe("running");
  expect(await read(taskId)).toMatchObject({ status: "success", completed_at: "2026-01-01T00:16:40.000Z" });
});

test("`reject` is a 502 that creates no task", async () => {
  const { post, read, create, balance, emulator } = createService({ credits: 10 });
  const before = emulator.accounts.get(emulator.accountId);
  emulator.providers.provider_a.next({ outcome: "reject" });
  const { status, body } = await post(VALID.song);
  expect([status, body.code, body.error_code]).toEqual([502, 502, "upstream_provider_error"]);
  expect(emulator.accounts.get(emulator.accountId)).toEqual(before);
  expect((await read(await create(VALID.song, { polls: 1 }))).status).toBe("success");
  expect(await balance()).toEqual({ available: 0, frozen: 0, total: 0 });
});

test("`clips` sets the number of clips", async () => {
  const { create, read } = createService();
  for (const clips of [0, 1, 5]) {
    const { output } = await read(await create(VALID.song, { polls: 1, clips }));
    expect(output.result).toHaveLength(clips);
    expect(new Set(output.result.map(({ id }: { id: string }) => id)).size).toBe(clips);
  }
});

test.each([1, 20])(
  "long tags of a song with %i clips are searched for the words of titles once",
  async (clips) => {
    const { create, read } = createService();
    const tags = "rain over Lisbon at night ".repeat(40_000);
    const taskId = await create({ ...VALID.song, input: { tags } }, { polls: 1, clips });
    const search = vi.spyOn(String.prototype, "matchAll");
    onTestFinished(() => search.mockRestore());
    const { output } = await read(taskId);
    expect(output.result).toHaveLength(clips);
    expect(search.mock.contexts.filter((text) => String(text).includes("Lisbon"))).toHaveLength(1);
  },
);

test.each([
  ["invalid JSON", "{"],
  ["a list", "[]"],
  ["an unknown field", '{"delay":5}'],
  ["an unknown error code", '{"outcome":"failure","error_code":"boom"}'],
])("an outcome header with %s is a 400 that names the header, and changes nothing", async (_, header) => {
  const { post, get } = createService({ credits: 10 });
  const { status, body } = await post(VALID.song, { "X-Emulator-Outcome": header });
  expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
  expect(body.message).toContain("X-Emulator-Outcome");
  expect((await get(BALANCE)).body.data.available).toBe(10);
});

test("an invalid outcome is an error that names the field", () => {
  const { provider_a: provider } = createService().emulator.providers;
  expect(() => provider.next({ process_seconds: -1 })).toThrow(
    "`process_seconds` must be a number from 0 to 1000000000; got -1.",
  );
  expect(() => provider.always({ outcom: "success" } as never)).toThrow(
    "Unknown field `outcom`. Did you mean `outcome`?",
  );
});

test.each<Outcome>([
  { error_code: "content_moderation" },
  { outcome: "success", retryable: false },
  { outcome: "hang", error: "no" },
  { outcome: "reject", retry_after_seconds: 5 },
])("details of a failure without that outcome are an error: %o", (outcome) => {
  const { provider_a: provider } = createService().emulator.providers;
  const [field] = Object.keys(outcome).filter((name) => name !== "outcome");
  const rule = `\`${field}\` must be omitted unless \`outcome\` is "failure"; got `;
  expect(() => provider.next(outcome)).toThrow(rule);
  expect(() => provider.always(outcome)).toThrow(rule);
  provider.next({ retry_after_seconds: null });
});

const postSong: Refusal = ({ post }) => post(VALID.song);
const withFault: Refusal = ({ post, fault }) => {
  fault(failWith(503));
  return post(VALID.song);
};
const suspended: Refusal = ({ post, emulator }) => {
  emulator.accounts.update(emulator.accountId, { suspended: true });
  return post(VALID.song);
};

/** Requests that the service refuses, and what makes it do so. */
type Refusal = (service: Service) => Promise<{ status: number }>;
const REFUSED: [what: string, refuse: Refusal, status: number][] = [
  ["too few credits", postSong, 402],
  ["an invalid input", ({ post }) => post({ ...VALID.song, input: {} }), 400],
  ["a body that is not JSON", ({ post }) => post("{"), 400],
  ["no API key", ({ post }) => post(VALID.song, { "x-api-key": "" }), 401],
  ["a fault before the request is carried out", withFault, 503],
  ["a suspended account", suspended, 403],
];

test.each(REFUSED)("a request that is refused for %s keeps the next outcome", async (_, refuse, status) => {
  const service = createService({ credits: status === 402 ? 9 : 100 });
  const { emulator, create, read } = service;
  const { accountId, accounts } = emulator;
  emulator.providers.provider_a.next({ outcome: "failure", polls: 1, error: "scripted" });
  expect((await refuse(service)).status).toBe(status);
  accounts.update(accountId, { suspended: false });
  if (status === 402) accounts.topUp(accountId, { usd: 10, method: "card" });
  expect(await read(await create(VALID.song))).toMatchObject({ status: "failure", error: "scripted" });
  expect((await read(await create(VALID.song))).status).not.toBe("failure");
});

import { checkCompliance } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { BALANCE, createService, postOf, serviceOf, TASK, VALID } from "./support/service.js";

const ONE_REQUEST = { limits: { requests: 1, windowSeconds: 60 } };
const LOST = { kind: "disconnect", when: "after" } as const;
const RESUBMITTED = "resubmitted_after_unknown_outcome";
const MODERATED = { outcome: "failure", polls: 1, error_code: "content_moderation" };

describe("polled_too_often", () => {
  test("reports a read of an unfinished task less than 1 s after the previous one", async () => {
    const { create, read, get, advance, findings, emulator } = createService();
    const taskId = await create(VALID.song, { process_seconds: 60 });
    await read(taskId);
    await advance(1_000);
    await read(taskId);
    expect(findings()).toEqual([]);
    await advance(999);
    await get(`${TASK}/${taskId}`, { "X-Request-Id": "hasty" });
    const finding = { rule: "polled_too_often", at: "2026-01-01T00:00:01.999Z", request_id: "hasty" };
    expect(emulator.audit()).toEqual([{ ...finding, detail: expect.stringContaining("999 ms") }]);
  });

  test("allows repeated reads of a finished task, and first reads of different tasks", async () => {
    const { create, read, findings } = createService();
    const finished = await create(VALID.song, { polls: 1 });
    for (let time = 0; time < 3; time++) await read(finished);
    for (let task = 0; task < 3; task++) await read(await create());
    expect(findings()).toEqual([]);
  });

  test("also counts a read that failed", async () => {
    const { create, read, fault, findings } = createService();
    const taskId = await create(VALID.song, { process_seconds: 60 });
    fault(failWith(500), { method: "GET" });
    await read(taskId).catch(() => {});
    await read(taskId);
    expect(findings()).toEqual(["polled_too_often"]);
  });

  test.each<[string, reads: { at: number; delayMs?: number }[], findings: number]>([
    ["1 s after a delayed one is allowed", [{ at: 0, delayMs: 900 }, { at: 1_000 }], 0],
    ["too soon is reported although it is delayed", [{ at: 0 }, { at: 999, delayMs: 5_000 }], 1],
    ["that overtakes a delayed one is reported", [{ at: 0, delayMs: 5_000 }, { at: 400 }, { at: 6_000 }], 1],
    ["is compared with the latest one", [{ at: 0, delayMs: 2_100 }, { at: 2_000 }, { at: 2_900 }], 1],
  ])("compares the times at which reads were sent: a read %s", async (_, reads, count) => {
    const { create, read, fault, findings, emulator } = createService();
    const taskId = await create(VALID.song, { outcome: "hang" });
    const start = emulator.clock.now();
    const responses = [];
    for (const { at, delayMs } of reads) {
      await emulator.clock.sleep(start + at - emulator.clock.now());
      if (delayMs !== undefined) fault({ kind: "latency", ms: delayMs });
      responses.push(read(taskId));
    }
    await Promise.all(responses);
    expect(findings()).toEqual(Array(count).fill("polled_too_often"));
  });
});

describe("resubmitted_after_unknown_outcome", () => {
  test.each([
    [{ kind: "disconnect", when: "before" }],
    [LOST],
    [failWith(500, "after")],
    [failWith(302, "after")],
    [failWith(408, "after")],
    [failWith(202, "after")],
    [failWith(204)],
    [{ kind: "malformed" }],
  ] as const)("reports the same payload again after %j", async (unknown) => {
    const { post, fault, findings } = createService();
    fault(unknown);
    await post(VALID.song).catch(() => {});
    await post(VALID.providerB);
    expect(findings()).toEqual([]);
    await post(VALID.song);
    expect(findings()).toEqual([RESUBMITTED]);
  });

  test("allows resubmission after a 4xx whose body was cut, since the status says that no task exists", async () => {
    const { post, fault, findings } = createService({ credits: 9 });
    for (const body of [VALID.song, "{", { ...VALID.song, model: "unknown" }]) {
      fault({ kind: "malformed" });
      await post(body).catch(() => {});
      await post(body);
    }
    expect(findings()).toEqual([]);
  });

  test("allows resubmission after a 429 whose body was cut, once its Retry-After has passed", async () => {
    const { get, post, fault, advance, findings } = createService(ONE_REQUEST);
    await get(BALANCE);
    fault({ kind: "malformed" }, { method: "POST", times: 2 });
    await post(VALID.song).catch(() => {});
    await advance(59_999);
    await post(VALID.song).catch(() => {});
    expect(findings()).toEqual(["ignored_retry_after"]);
    await advance(1000);
    expect((await post(VALID.song)).status).toBe(202);
    expect(findings()).toEqual(["ignored_retry_after"]);
  });

  test.each([402, 403, 429, 500])("reports each repetition until one is accepted: %i", async (status) => {
    const { post, fault, advance, findings } = createService();
    fault(LOST);
    await post(VALID.song).catch(() => {});
    fault(failWith(status));
    expect((await post(VALID.song)).status).toBe(status);
    await advance(60_000);
    expect((await post(VALID.song)).status).toBe(202);
    expect((await post(VALID.song)).status).toBe(202);
    expect(findings()).toEqual(Array(2).fill(RESUBMITTED));
  });

  test("compares payloads as JSON values, however they are written", async () => {
    const { post, fault, findings } = createService();
    const { model, task_type } = VALID.custom;
    const input = { prompt: "la \u00e9", tags: "fado", more: [1, {}] };
    fault(LOST);
    await post({ model, task_type, input }).catch(() => {});
    await post({ model, task_type, input: { ...input, more: [{}, 1] } });
    await post({ model, task_type, input: { ...input, tags: "polka" } });
    expect(findings()).toEqual([]);
    const written = '{"more":[1.0,{}],"tags":"fado","prompt":"la \\u00e9"}';
    await post(`{ "task_type": "music",\n"input": ${written}, "model": "provider_a" }`);
    expect(findings()).toEqual([RESUBMITTED]);
  });

  test("compares bodies that are nested too deeply, and not bodies that are too large", async () => {
    const { post, fault, findings } = createService();
    const large = (prompt: string) => ({ ...VALID.lyrics, input: { prompt: prompt.repeat(2 ** 20) } });
    fault(failWith(500));
    await post(large("a"));
    expect((await post(large("b"))).body.error_code).toBe("invalid_request_body");
    expect(findings()).toEqual([]);
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    fault({ kind: "disconnect", when: "before" });
    await post(deep).catch(() => {});
    expect((await post(deep)).body.error_code).toBe("invalid_request_body");
    expect(findings()).toEqual([RESUBMITTED]);
  });

  test("allows the same payload after a success, after a refusal, and concurrently", async () => {
    const { post, fault, findings } = createService();
    for (const body of [VALID.song, VALID.song, "{", "{"]) await post(body);
    fault(LOST, { method: "POST" });
    await Promise.allSettled([post(VALID.lyrics), post(VALID.lyrics)]);
    expect(findings()).toEqual([]);
  });

  test("a check says what to declare if the outcome was settled before", async () => {
    const { emulator, post, fault } = createService();
    fault({ kind: "disconnect", when: "before" });
    await post(VALID.song).catch(() => {});
    await post(VALID.song);
    expect(() => checkCompliance(emulator)).toThrow(
      `on purpose, pass \`breaks: ["${RESUBMITTED}"]\`. A submission after \`settleNotCreated\` breaks its rule on purpose.`,
    );
  });

  test.each([
    ["after an aborted one was carried out", true, 10_000, ["2026-01-01T00:00:11.000Z"]],
    ["before an aborted one is carried out", true, 0, ["2026-01-01T00:00:01.000Z"]],
    ["before the first one is aborted", false, 0, []],
  ])("a submission sent again %s is reported at %j", async (_, abortsFirst, waitMs, reportedAt) => {
    const service = createService();
    const { emulator, post, fault } = service;
    const { clock } = emulator;
    fault({ kind: "latency", ms: 5_000 }, { method: "POST" });
    const first = new AbortController();
    const init = postOf(service, VALID.song, { headers: { "X-Request-Id": "first" }, signal: first.signal });
    const aborted = emulator.fetch(emulator.url + TASK, init).catch(() => {});
    await clock.sleep(1_000);
    if (abortsFirst) first.abort();
    await clock.sleep(waitMs);
    await post(VALID.providerB);
    await post(VALID.song);
    first.abort();
    await aborted;
    await clock.sleep(10_000);
    const finding = { rule: RESUBMITTED, detail: expect.stringContaining("first") };
    expect(emulator.audit()).toMatchObject(reportedAt.map((at) => ({ ...finding, at })));
  });
});

describe("ignored_retry_after", () => {
  test.each([
    ["the same request before the stated wait is over", 59_999, 0],
    ["a request that was sent before the wait was over and arrived after it", 0, 90_000],
  ])("reports %s", async (_, sentAfterMs, delayMs) => {
    const { get, fault, advance, findings } = createService(ONE_REQUEST);
    await get(BALANCE);
    await get(BALANCE);
    await advance(sentAfterMs);
    if (delayMs > 0) fault({ kind: "latency", ms: delayMs });
    await get(BALANCE);
    expect(findings()).toEqual(["ignored_retry_after"]);
  });

  test("allows requests after the wait, with another API key, and sent concurrently", async () => {
    const { get, advance, findings, emulator } = createService(ONE_REQUEST);
    const { api_key: apiKey } = emulator.accounts.createKey(emulator.accountId);
    await Promise.all([get(BALANCE), get(BALANCE), get(BALANCE)]);
    await serviceOf(emulator, { apiKey }).get(BALANCE);
    await advance(60_000);
    await get(BALANCE);
    expect(findings()).toEqual([]);
  });
});

describe("resent_not_retryable", () => {
  test("reports the same payload after a read has returned a failure that is not retryable", async () => {
    const { create, read, findings } = createService();
    const taskId = await create(VALID.song, MODERATED);
    await create(VALID.song);
    await read(taskId);
    await create(VALID.providerB);
    expect(findings()).toEqual([]);
    await create(VALID.song);
    expect(findings()).toEqual(["resent_not_retryable"]);
  });

  const song = { ...VALID.song, input: { ...VALID.song.input, mood: { of: ["rain", 1] } } };
  const { model, task_type, input } = song;
  const mp3 = { ...song, audio_format: "mp3" };
  const others = [
    { ...song, input: { ...input, mood: { of: [1, "rain"] } } },
    mp3,
    { model, task_type: "lyrics", input: { ...input, prompt: "rain" } },
  ];
  test.each([
    [song, song, others],
    [song, { note: 1, input, task_type, model }, others],
    [song, { ...song, audio_format: null }, others],
    [mp3, mp3, [song]],
  ])("compares model, type, input and format: %j equals %j", async (failed, same, different) => {
    const { create, read, findings } = createService({ policy: { null_audio_format: "omitted" } });
    await read(await create(failed, MODERATED));
    for (const other of different) await create(other);
    expect(findings()).toEqual([]);
    await create(same);
    expect(findings()).toEqual(["resent_not_retryable"]);
  });

  test("allows a payload that was sent before the failure was read and arrives later", async () => {
    const { create, read, post, fault, findings } = createService();
    const taskId = await create(VALID.song, MODERATED);
    fault({ kind: "latency", ms: 10_000 }, { method: "POST" });
    const sentBefore = post(VALID.song);
    expect((await read(taskId)).status).toBe("failure");
    expect((await sentBefore).status).toBe(202);
    expect(findings()).toEqual([]);
  });

  test("allows the payload of a retryable failure, and of a failure that no response has reported", async () => {
    const { create, read, fault, findings } = createService();
    await read(await create(VALID.song, { outcome: "failure", polls: 1 }));
    await create(VALID.song);
    const taskId = await create(VALID.lyrics, MODERATED);
    for (const unread of [LOST, failWith(200, "after")]) {
      fault(unread, { method: "GET" });
      await read(taskId).catch(() => {});
      await create(VALID.lyrics);
    }
    expect(findings()).toEqual([]);
  });
});

test("a fork audits its requests against those before the fork", async () => {
  const service = createService({ limits: { requests: 5, windowSeconds: 60 } });
  const { create, read, post, get, fault } = service;
  await read(await create(VALID.song, MODERATED));
  const unfinished = await create(VALID.upload, { outcome: "hang" });
  await read(unfinished);
  fault(LOST, { method: "POST" });
  await post(VALID.lyrics).catch(() => {});
  await get(BALANCE);
  const fork = serviceOf(service.emulator.fork());
  expect(fork.findings()).toEqual([]);

  await fork.get(BALANCE);
  fork.emulator.changeLimits({ requests: 100 });
  await fork.post(VALID.song);
  await fork.post(VALID.lyrics);
  await fork.read(unfinished);
  expect(fork.findings()).toEqual([
    "ignored_retry_after",
    "resent_not_retryable",
    "resubmitted_after_unknown_outcome",
    "polled_too_often",
  ]);
});

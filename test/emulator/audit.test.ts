import { describe, expect, test } from "vitest";
import { BALANCE, createService, type Service, serviceOf, TASK, VALID } from "./support/service.js";

/** Sends the song under the id `first`, until the signal is aborted. */
const postUntil = ({ emulator }: Service, signal: AbortSignal) =>
  emulator.fetch(emulator.url + TASK, {
    method: "POST",
    headers: { "x-api-key": emulator.apiKey, "Content-Type": "application/json", "X-Request-Id": "first" },
    body: JSON.stringify(VALID.song),
    signal,
  });

const rules = ({ emulator }: Service) => emulator.audit().map(({ rule }) => rule);

describe("polled_too_often", () => {
  test("is a read of an open task less than a second after the last", async () => {
    const service = createService();
    const taskId = await service.create(VALID.song, { process_seconds: 60 });
    await service.read(taskId);
    await service.emulator.clock.advance(1_000);
    await service.read(taskId);
    expect(rules(service)).toEqual([]);
    await service.emulator.clock.advance(999);
    await service.get(`${TASK}/${taskId}`, { "X-Request-Id": "hasty" });
    expect(service.emulator.audit()).toEqual([
      {
        rule: "polled_too_often",
        at: "2026-01-01T00:00:01.999Z",
        request_id: "hasty",
        detail: expect.stringContaining("999 ms"),
      },
    ]);
  });

  test("is no matter of tasks that are over, of different tasks, or of the first read", async () => {
    const service = createService();
    const over = await service.create(VALID.song, { polls: 1 });
    for (let time = 0; time < 3; time++) await service.read(over);
    for (let task = 0; task < 3; task++) await service.read(await service.create());
    expect(rules(service)).toEqual([]);
  });

  test("is also a read that was answered with an error", async () => {
    const service = createService();
    const taskId = await service.create(VALID.song, { process_seconds: 60 });
    service.emulator.faults.add({ method: "GET", fault: { kind: "status", status: 500, when: "before" } });
    await service.read(taskId).catch(() => {});
    await service.read(taskId);
    expect(rules(service)).toEqual(["polled_too_often"]);
  });
});

describe("a read that is delayed on its way", () => {
  async function delayed(ms: number) {
    const service = createService();
    const taskId = await service.create(VALID.song, { outcome: "hang" });
    const delay = () => service.emulator.faults.add({ method: "GET", fault: { kind: "latency", ms } });
    return { service, taskId, delay, clock: service.emulator.clock };
  }

  test("is a second away from one that was sent a second later", async () => {
    const { service, taskId, delay, clock } = await delayed(900);
    delay();
    const late = service.read(taskId);
    await clock.sleep(1_000);
    await service.read(taskId);
    await late;
    expect(rules(service)).toEqual([]);
  });

  test("is too soon where it was sent too soon", async () => {
    const { service, taskId, delay, clock } = await delayed(5_000);
    await service.read(taskId);
    await clock.advance(999);
    delay();
    await service.read(taskId);
    expect(rules(service)).toEqual(["polled_too_often"]);
    expect(service.emulator.audit()[0]?.detail).toContain("after 999 ms");
  });

  test("is too soon before one that it let pass", async () => {
    const { service, taskId, delay, clock } = await delayed(5_000);
    delay();
    const late = service.read(taskId);
    await clock.sleep(400);
    await service.read(taskId);
    await late;
    expect(rules(service)).toEqual(["polled_too_often"]);
    await clock.advance(1_000);
    await service.read(taskId);
    expect(rules(service)).toEqual(["polled_too_often"]);
  });

  test("does not bring the last one back to when it was sent", async () => {
    const { service, taskId, delay, clock } = await delayed(2_100);
    delay();
    const late = service.read(taskId);
    await clock.sleep(2_000);
    await service.read(taskId);
    await late;
    await clock.advance(800);
    await service.read(taskId);
    expect(rules(service)).toEqual(["polled_too_often"]);
  });
});

describe("resubmitted_after_unknown_outcome", () => {
  test.each([
    [{ kind: "disconnect", when: "before" }],
    [{ kind: "disconnect", when: "after" }],
    [{ kind: "status", status: 500, when: "after" }],
    [{ kind: "status", status: 202, when: "after" }],
    [{ kind: "status", status: 204, when: "before" }],
    [{ kind: "malformed" }],
  ] as const)("is the same payload again after %j", async (fault) => {
    const service = createService();
    service.emulator.faults.add({ fault });
    await service.post(VALID.song).catch(() => {});
    await service.post(VALID.providerB);
    expect(rules(service)).toEqual([]);
    await service.post(VALID.song);
    expect(rules(service)).toEqual(["resubmitted_after_unknown_outcome"]);
  });

  test("is no matter of a refusal whose body was cut: its status says that nothing was accepted", async () => {
    const service = createService({ credits: 9 });
    for (const body of [VALID.song, "{", { ...VALID.song, model: "nobody" }]) {
      service.emulator.faults.add({ fault: { kind: "malformed" } });
      await service.post(body).catch(() => {});
      await service.post(body);
    }
    expect(rules(service)).toEqual([]);
  });

  test("is the same JSON again, however it is written", async () => {
    const service = createService();
    const { model, task_type, input } = {
      ...VALID.custom,
      input: { prompt: "la \u00e9", tags: "fado", more: [1, {}] },
    };
    service.emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
    await service.post({ model, task_type, input }).catch(() => {});
    for (const other of [
      { model, task_type, input: { ...input, more: [{}, 1] } },
      { model, task_type, input: { ...input, tags: "polka" } },
    ])
      await service.post(other);
    expect(rules(service)).toEqual([]);
    const text =
      '{ "task_type": "music",\n"input": {"more":[1.0,{}],"tags":"fado","prompt":"la \\u00e9"}, "model": "provider_a" }';
    expect(JSON.parse(text)).toEqual({ model, task_type, input });
    expect((await service.post(text)).status).toBe(202);
    expect(rules(service)).toEqual(["resubmitted_after_unknown_outcome"]);
  });

  test("is a body again that can't even be gone through", async () => {
    const service = createService();
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    service.emulator.faults.add({ fault: { kind: "disconnect", when: "before" } });
    await service.post(deep).catch(() => {});
    expect((await service.post(deep)).body.error_code).toBe("invalid_request_body");
    expect(rules(service)).toEqual(["resubmitted_after_unknown_outcome"]);
  });

  test("is no matter of two bodies that are both too large to be read", async () => {
    const service = createService();
    const large = (prompt: string) => ({ ...VALID.lyrics, input: { prompt: prompt.repeat(2 ** 20) } });
    service.emulator.faults.add({ fault: { kind: "status", status: 500, when: "before" } });
    await service.post(large("a"));
    expect((await service.post(large("b"))).body.error_code).toBe("invalid_request_body");
    expect(rules(service)).toEqual([]);
  });

  test("is no matter of the same song twice, of refusals, or of requests that were both under way", async () => {
    const service = createService();
    await service.post(VALID.song);
    await service.post(VALID.song);
    await service.post("{");
    await service.post("{");
    service.emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
    await Promise.allSettled([service.post(VALID.lyrics), service.post(VALID.lyrics)]);
    expect(rules(service)).toEqual([]);
  });

  test("is no matter of a 429 whose body is cut: its status says that nothing was created, and its head how long to wait", async () => {
    const service = createService({ limits: { requests: 1, windowSeconds: 60 } });
    await service.get(BALANCE);
    service.emulator.faults.add({ method: "POST", fault: { kind: "malformed" }, times: 2 });
    await service.post(VALID.song).catch(() => {});
    await service.emulator.clock.advance(59_999);
    await service.post(VALID.song).catch(() => {});
    expect(rules(service)).toEqual(["ignored_retry_after"]);
    await service.emulator.clock.advance(1000);
    expect((await service.post(VALID.song)).status).toBe(202);
    expect(rules(service)).toEqual(["ignored_retry_after"]);
  });

  test("is what comes after a caller gave up waiting", async () => {
    const service = createService();
    const { emulator } = service;
    emulator.faults.add({ method: "POST", fault: { kind: "latency", ms: 5_000 } });
    const controller = new AbortController();
    const posted = postUntil(service, controller.signal);
    await emulator.clock.sleep(1_000);
    controller.abort();
    await posted.catch(() => {});
    await emulator.clock.sleep(10_000);
    await service.post(VALID.song);
    expect(rules(service)).toEqual(["resubmitted_after_unknown_outcome"]);
  });
});

test.each([true, false])(
  "a submission that its caller gives up before the same one is sent again is resubmitted: %s",
  async (leavesBetween) => {
    const service = createService();
    const { emulator } = service;
    emulator.faults.add({ method: "POST", fault: { kind: "latency", ms: 5_000 } });
    const first = new AbortController();
    const begun = postUntil(service, first.signal);
    await emulator.clock.sleep(1_000);
    if (leavesBetween) first.abort();
    await service.post(VALID.providerB);
    await service.post(VALID.song);
    if (!leavesBetween) first.abort();
    await begun.catch(() => {});
    await emulator.clock.sleep(10_000);
    const finding = {
      rule: "resubmitted_after_unknown_outcome",
      at: "2026-01-01T00:00:01.000Z",
      detail: expect.stringContaining("first"),
    };
    expect(emulator.audit()).toEqual(leavesBetween ? [expect.objectContaining(finding)] : []);
  },
);

describe("ignored_retry_after", () => {
  test("is the same request before the stated wait is over", async () => {
    const service = createService({ limits: { requests: 1, windowSeconds: 60 } });
    await service.get(BALANCE);
    await service.get(BALANCE);
    await service.emulator.clock.advance(59_999);
    await service.get(BALANCE);
    expect(rules(service)).toEqual(["ignored_retry_after"]);
  });

  test("is also what comes too soon after a 429 whose body was cut: its header states the wait", async () => {
    const service = createService({ limits: { requests: 1, windowSeconds: 60 } });
    await service.get(BALANCE);
    service.emulator.faults.add({ fault: { kind: "malformed" } });
    await service.get(BALANCE).catch(() => {});
    await service.get(BALANCE);
    expect(rules(service)).toEqual(["ignored_retry_after"]);
  });

  test("is also one that came before the wait was over, and was delayed until it was", async () => {
    const service = createService({ limits: { requests: 1, windowSeconds: 60 } });
    await service.get(BALANCE);
    await service.get(BALANCE);
    service.emulator.faults.add({ fault: { kind: "latency", ms: 90_000 } });
    await service.get(BALANCE);
    expect(rules(service)).toEqual(["ignored_retry_after"]);
  });

  test("is no matter once the wait is over, of another key, or of requests that were both under way", async () => {
    const service = createService({ limits: { requests: 1, windowSeconds: 60 } });
    const { api_key: apiKey } = service.emulator.accounts.createKey(service.emulator.accountId);
    await Promise.all([service.get(BALANCE), service.get(BALANCE), service.get(BALANCE)]);
    await serviceOf(service.emulator, { apiKey }).get(BALANCE);
    await service.emulator.clock.advance(60_000);
    await service.get(BALANCE);
    expect(rules(service)).toEqual([]);
  });
});

describe("resent_not_retryable", () => {
  const moderated = { outcome: "failure", polls: 1, error_code: "content_moderation" };

  test("is the same payload after the client was told that it can never succeed", async () => {
    const service = createService();
    const taskId = await service.create(VALID.song, moderated);
    await service.create(VALID.song);
    await service.read(taskId);
    await service.create(VALID.providerB);
    expect(rules(service)).toEqual([]);
    await service.create(VALID.song);
    expect(rules(service)).toEqual(["resent_not_retryable"]);
  });

  test("is the same order, however it is written and whatever the service doesn't read of it", async () => {
    const song = { ...VALID.song, input: { ...VALID.song.input, mood: { of: ["rain", 1] } } };
    const { model, task_type, input } = song;
    const others = [
      { ...song, input: { ...input, mood: { of: [1, "rain"] } } },
      { ...song, audio_format: "mp3" },
      { model, task_type: "lyrics", input: { ...input, prompt: "rain" } },
    ];
    for (const same of [song, { note: 1, input, task_type, model }, { ...song, audio_format: null }]) {
      const service = createService({ policy: { null_audio_format: "omitted" } });
      await service.read(await service.create(song, moderated));
      for (const other of others) await service.create(other);
      expect(rules(service)).toEqual([]);
      await service.create(same);
      expect(rules(service)).toEqual(["resent_not_retryable"]);
    }
    const service = createService();
    await service.read(await service.create({ ...song, audio_format: "mp3" }, moderated));
    await service.create(song);
    expect(rules(service)).toEqual([]);
    await service.create({ ...song, audio_format: "mp3" });
    expect(rules(service)).toEqual(["resent_not_retryable"]);
  });

  test("is not a payload that was sent before the client was told, and arrives later", async () => {
    const service = createService();
    const taskId = await service.create(VALID.song, moderated);
    service.emulator.faults.add({ method: "POST", fault: { kind: "latency", ms: 10_000 } });
    const sentBefore = service.post(VALID.song);
    expect((await service.read(taskId)).status).toBe("failure");
    expect((await sentBefore).status).toBe(202);
    expect(rules(service)).toEqual([]);
  });

  test("is no matter of what is retryable, or of a failure whose answer was lost", async () => {
    const service = createService();
    await service.read(await service.create(VALID.song, { outcome: "failure", polls: 1 }));
    await service.create(VALID.song);
    const taskId = await service.create(VALID.lyrics, moderated);
    service.emulator.faults.add({ method: "GET", fault: { kind: "disconnect", when: "after" } });
    await service.read(taskId).catch(() => {});
    await service.create(VALID.lyrics);
    service.emulator.faults.add({ method: "GET", fault: { kind: "status", status: 200, when: "after" } });
    await service.read(taskId);
    await service.create(VALID.lyrics);
    expect(rules(service)).toEqual([]);
  });
});

test("what was noted of earlier requests goes with a snapshot", async () => {
  const service = createService({ limits: { requests: 5, windowSeconds: 60 } });
  const failure = { outcome: "failure", polls: 1, error_code: "content_moderation" };
  await service.read(await service.create(VALID.song, failure));
  const open = await service.create(VALID.upload, { outcome: "hang" });
  await service.read(open);
  service.emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await service.post(VALID.lyrics).catch(() => {});
  await service.get(BALANCE);
  const fork = service.emulator.fork();
  expect(fork.audit()).toEqual([]);

  const later = serviceOf(fork, { apiKey: fork.apiKey });
  await later.get(BALANCE);
  fork.changeLimits({ requests: 100 });
  await later.post(VALID.song);
  await later.post(VALID.lyrics);
  await later.get(`${TASK}/${open}`);
  expect(fork.audit().map(({ rule }) => rule)).toEqual([
    "ignored_retry_after",
    "resent_not_retryable",
    "resubmitted_after_unknown_outcome",
    "polled_too_often",
  ]);
});

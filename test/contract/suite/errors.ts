import { expect } from "vitest";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  InvalidResponseError,
  RateLimitedError,
  RequestTimeoutError,
  ServerError,
  SubmissionOutcomeUnknownError,
  TaskNotFoundError,
  type TaskRequest,
  WaitTimeoutError,
} from "../../../src/index.js";
import { failWith } from "../../support/faults.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { limitOfStalls, type Open, SONG } from "../world.js";

const NO_TASK = "0b9f6f2e-6f0a-4c3e-9d7c-6a1f4f3d2c1b";
const TASKS = "/api/v1/task/*";
const BALANCE = "/api/v1/account/balance";

const REFUSED: readonly [code: string, body: unknown][] = [
  ["invalid_request_body", []],
  ["missing_required_fields", {}],
  ["invalid_model", { ...SONG, model: "provider_c" }],
  ["unsupported_task_type", { ...SONG, model: "provider_b", task_type: "lyrics" }],
  ["invalid_audio_format", { ...SONG, audio_format: "wav" }],
  ["invalid_task_input", { ...SONG, input: {} }],
];

export function describeErrors(open: Open, { describe, it }: Kit): void {
  describe("errors", () => {
    it.each(REFUSED)("BadRequestError: %s, without validation by the client", async (code, body) => {
      const { connect, emulator } = await open();
      const client = connect({ validateRequests: false });
      const creation = client.tasks.create(body as TaskRequest, { requestId: "r-1" });
      const error = await rejection(creation, BadRequestError);
      expect(error).toBeInstanceOf(ApiError);
      const status = code === "invalid_audio_format" ? emulator.policy.invalid_audio_format_status : 400;
      expect(error).toMatchObject({ status, errorCode: code, requestId: "r-1" });
      expect(error.headers.get("X-RateLimit-Remaining")).toBe("119");
      expect(emulator.accounts.get(emulator.accountId).usage.tasks_created).toBe(0);
    });

    it("BadRequestError: audio_format_unavailable, whatever its status", async () => {
      const policy = { audio_conversion: "off", audio_format_unavailable_status: 409 } as const;
      const { client } = await open({ policy });
      const error = await rejection(client.tasks.create({ ...SONG, audio_format: "mp3" }), BadRequestError);
      expect(error).toMatchObject({ status: 409, errorCode: "audio_format_unavailable" });
      expect(await client.tasks.create(SONG)).toMatchObject({ status: "pending" });
    });

    it("AuthenticationError: an unknown API key, on every call and without a retry", async () => {
      const { connect, emulator } = await open();
      const { tasks, account } = connect({ apiKey: "emu_unknown" });
      const reads = [() => tasks.retrieve(NO_TASK), () => tasks.wait(NO_TASK)];
      const calls = [() => tasks.create(SONG), ...reads, () => account.balance(), () => account.usage()];
      for (const call of calls) {
        const error = await rejection(call(), AuthenticationError);
        expect(error).toMatchObject({ status: 401, errorCode: "invalid_api_key" });
      }
      expect(emulator.requests).toHaveLength(calls.length);
    });

    it("TaskNotFoundError: an unknown task ID, for a read and for a wait", async () => {
      const { client, arrivals } = await open();
      const notFound = { status: 404, errorCode: "task_not_found", taskId: NO_TASK };
      const read = await rejection(client.tasks.retrieve(NO_TASK), TaskNotFoundError);
      expect(read).toMatchObject(notFound);
      expect(await rejection(client.tasks.wait(NO_TASK), TaskNotFoundError)).toMatchObject(notFound);
      expect(arrivals()).toEqual(["GET 404", "GET 404"]);
    });

    it("RateLimitedError: another process has used up the key's limit, and retries are disabled", async () => {
      const { connect, ask } = await open({ limits: { requests: 1 } });
      await ask(BALANCE);
      const error = await rejection(connect({ maxRetries: 0 }).account.balance(), RateLimitedError);
      expect(error).toMatchObject({ status: 429, errorCode: "rate_limited", retryAfterSeconds: 60 });
    });

    it("RateLimitedError: a stated wait that exceeds the retry budget is not waited for", async () => {
      const { connect, emulator } = await open();
      emulator.faults.add({ fault: { ...failWith(429), retry_after_seconds: 50 } });
      const now = emulator.clock.now();
      const client = connect({ retryBudgetMs: 49_000 });
      const error = await rejection(client.account.balance(), RateLimitedError);
      expect(error.retryAt?.getTime()).toBe(now + 50_000);
      expect(emulator.clock.now()).toBe(now);
    });

    it("ServerError: a read fails on every attempt", async () => {
      const { client, emulator, arrivals } = await open();
      emulator.faults.add({ path: BALANCE, times: 3, fault: failWith(500) });
      const error = await rejection(client.account.balance(), ServerError);
      expect(error).toMatchObject({ status: 500, errorCode: "internal_error" });
      expect(arrivals()).toEqual(["GET 500", "GET 500", "GET 500"]);
    });

    it("ConnectionError: a read gets no response", async () => {
      const { connect, emulator, arrivals } = await open();
      emulator.faults.add({ path: BALANCE, fault: { kind: "disconnect", when: "before" } });
      const { account } = connect({ maxRetries: 0 });
      const error = await rejection(account.balance({ requestId: "b-1" }), ConnectionError);
      expect(error.requestId).toBe("b-1");
      expect(arrivals()).toEqual(["GET null"]);
    });

    it("RequestTimeoutError: a read gets no response in time", async () => {
      const { connect, emulator } = await open();
      emulator.faults.add({ path: BALANCE, fault: { kind: "stall" } });
      const client = connect({ maxRetries: 0, timeoutMs: limitOfStalls(emulator) });
      expect(await rejection(client.account.balance(), RequestTimeoutError)).toBeInstanceOf(ConnectionError);
    });

    it("InvalidResponseError: a successful response is not JSON", async () => {
      const { client, emulator } = await open();
      emulator.faults.add({ path: BALANCE, fault: { kind: "malformed" } });
      const error = await rejection(client.account.balance({ requestId: "b-1" }), InvalidResponseError);
      expect(error.requestId).toBe("b-1");
    });

    it("SubmissionOutcomeUnknownError: a 502 on create, which does not say that no task exists", async () => {
      const { client, emulator, arrivals } = await open();
      emulator.providers.provider_a.next({ outcome: "reject" });
      const error = await rejection(client.tasks.create(SONG), SubmissionOutcomeUnknownError);
      expect(error).toMatchObject({ status: 502, request: SONG });
      expect(error.cause).toMatchObject({ errorCode: "upstream_provider_error" });
      expect(arrivals("POST")).toEqual(["POST 502"]);
      const { balance, usage } = emulator.accounts.get(emulator.accountId);
      expect([balance.available, balance.frozen, usage.tasks_created]).toEqual([1000, 0, 0]);
    });

    it("WaitTimeoutError: the wait ends before the task, which continues", async () => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.next({ process_seconds: 120 });
      const { task_id: id } = await client.tasks.create(SONG);
      const beganAt = emulator.clock.now();
      const wait = client.tasks.wait(id, { maxWaitMs: 60_000, pollIntervalMs: 25_000 });
      const error = await rejection(wait, WaitTimeoutError);
      expect(error).toMatchObject({ taskId: id, task: { task_id: id, status: "running" } });
      expect(error.message).toContain(id);
      expect(emulator.clock.now() - beganAt).toBeGreaterThanOrEqual(60_000);
      expect(emulator.clock.now() - beganAt).toBeLessThanOrEqual(61_000);
      expect(await client.tasks.wait(error.taskId)).toMatchObject({ status: "success" });
    });

    it("an abort rejects a wait with its own reason, and the task continues", async () => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.next({ process_seconds: 60 });
      const controller = new AbortController();
      const reason = new Error("enough");
      const { task_id: id } = await client.tasks.create(SONG);
      const onUpdate = () => controller.abort(reason);
      await expect(client.tasks.wait(id, { signal: controller.signal, onUpdate })).rejects.toBe(reason);
      expect(await client.tasks.wait(id)).toMatchObject({ status: "success" });
    });

    it("the error of a task's read has the task's id", async () => {
      const { client, emulator } = await open();
      const { task_id: id } = await client.tasks.create(SONG);
      emulator.faults.add({ path: TASKS, times: 3, fault: failWith(500) });
      expect(await rejection(client.tasks.retrieve(id), ServerError)).toMatchObject({ taskId: id });
    });
  });
}

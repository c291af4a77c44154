import {
  AsyncMusicError,
  InsufficientCreditsError,
  SubmissionOutcomeUnknownError,
  type TaskSubmission,
} from "async-music";
import { expect, test } from "vitest";
import { reasonOf, rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  refusal,
  running,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
} from "../support/responses.js";
import { createWorld, inTurn, never } from "../support/world.js";

test("a run creates one task, waits, and returns it", async () => {
  const { client, requests } = createWorld(inTurn(accepted(), running, done));
  await expect(client.tasks.run(SONG_REQUEST)).resolves.toEqual(succeeded());
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
  expect(requests[1]?.at).toBeGreaterThanOrEqual(5000);
});

test("onSubmitted receives the submission before the wait, and is awaited", async () => {
  const { client, clock, requests } = createWorld(inTurn(accepted(), done));
  const seen: TaskSubmission[] = [];
  const onSubmitted = async (created: TaskSubmission) => {
    seen.push(created);
    await clock.sleep(60_000);
    expect(requests).toHaveLength(1);
  };
  await client.tasks.run(SONG_REQUEST, { onSubmitted });
  expect(seen).toEqual([submission()]);
  expect(requests[1]?.at).toBeGreaterThanOrEqual(60_000);
});

test.each(["onSubmitted", "onUpdate"] as const)("%s that throws does not lose the task", async (name) => {
  const cause = new Error("database away");
  for (const callback of [
    () => Promise.reject(cause),
    () => {
      throw cause;
    },
  ]) {
    const { client, requests } = createWorld(inTurn(accepted(), running));
    const error = await rejection(client.tasks.run(SONG_REQUEST, { [name]: callback }), AsyncMusicError);
    expect(error).toMatchObject({ taskId: TASK_ID, cause });
    expect(error.message).toContain(name);
    expect(error.message).toContain(`client.tasks.wait("${TASK_ID}")`);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  }
});

const REASONS = [undefined, "a string", { why: "left" }, new Error("never mind")];
test.each(REASONS)("the outcome of a POST that %j aborts is unknown", async (reason) => {
  for (const call of ["create", "run"] as const) {
    const controller = new AbortController();
    const { client, requests } = createWorld((request) => {
      setImmediate(() => controller.abort(reason));
      return never(request);
    });
    const options = { signal: controller.signal, requestId: "order-1" };
    const error = await rejection(client.tasks[call](SONG_REQUEST, options), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ request: SONG_REQUEST, requestId: "order-1", status: null });
    expect(error.cause).toBe(controller.signal.reason);
    expect(requests).toHaveLength(1);
  }
});

test("an abort by onSubmitted ends the run before it polls", async () => {
  const controller = new AbortController();
  const { client, requests } = createWorld(() => accepted());
  const result = client.tasks.run(SONG_REQUEST, {
    signal: controller.signal,
    onSubmitted: () => controller.abort("stop"),
  });
  await expect(result).rejects.toBe("stop");
  expect(requests).toHaveLength(1);
});

test("an abort by a listener counts before the request is sent, and not after its response", async () => {
  for (const name of ["attempt", "response"] as const) {
    const controller = new AbortController();
    const { client, requests } = createWorld(() => refusal(402, "insufficient_credits"));
    client.on(name, () => controller.abort("left"));
    const error = await reasonOf(client.tasks.run(SONG_REQUEST, { signal: controller.signal }));
    if (name === "attempt") expect(error).toBe("left");
    else expect(error).toBeInstanceOf(InsufficientCreditsError);
    expect(requests).toHaveLength(name === "attempt" ? 0 : 1);
  }
});

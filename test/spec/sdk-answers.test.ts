import { describe, expect, it } from "vitest";
import {
  type AsyncMusic,
  AsyncMusicError,
  InvalidResponseError,
  SubmissionOutcomeUnknownError,
} from "../../src/index.js";
import { reasonOf } from "../support/rejection.js";
import { CLIP, LYRICS, submission, succeeded, TASK_ID } from "../support/responses.js";
import { createWorld } from "../support/world.js";
import * as fields from "./tables/fields.js";
import { SAMPLES } from "./tables/samples.js";

const SUBMISSION = submission();
const TASK = succeeded();
const output = Object(TASK["output"]);
const BALANCE = { available: 90, frozen: 10, total: 100 };
const USAGE = { tasks_created: 3, credits_used: 30, credits_topped_up: 130 };

/** Each kind of response: its table, data that matches it, and the call that reads it. */
const ANSWERS = [
  { name: "task submission", table: fields.SUBMISSION, data: SUBMISSION, status: 202, call: "create" },
  { name: "task", table: fields.TASK, data: TASK, status: 200, call: "retrieve" },
  { name: "balance", table: fields.BALANCE, data: BALANCE, status: 200, call: "balance" },
  { name: "usage", table: fields.USAGE, data: USAGE, status: 200, call: "usage" },
] as const;

const REQUIRED = ANSWERS.flatMap(({ table, ...answer }) =>
  table
    .filter(({ required, name }) => required && name !== "task_id")
    .map((field) => ({ ...answer, field: field.name })),
);
const NULLABLE = ANSWERS.flatMap(({ table, ...answer }) =>
  table.filter(({ nullable }) => nullable).map((field) => ({ ...answer, field: field.name })),
);

describe("the SDK reads responses as the interface documents them", () => {
  it.each(ANSWERS)("$name: documented fields are returned unchanged", async ({ call, data, status }) => {
    expect(await answering(call, status, data)).toEqual(data);
  });

  it.each(ANSWERS)("$name: unknown fields are kept", async ({ call, data, status }) => {
    const more = { ...data, of_a_later_day: { any: ["thing"] } };
    expect(await answering(call, status, more)).toEqual(more);
  });

  it.each(REQUIRED)("$name: $field is required", async ({ call, data, status, field }) => {
    const error = await reasonOf(answering(call, status, without(field, data)));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ issues: [{ path: `data.${field}` }] });
  });

  it.each(REQUIRED)("$name: $field of another type is refused", async ({ call, data, status, field }) => {
    const error = await reasonOf(answering(call, status, { ...data, [field]: { unexpected: true } }));
    expect(error).toBeInstanceOf(InvalidResponseError);
  });

  it("task: its ID is required", async () => {
    const error = await reasonOf(answering("retrieve", 200, without("task_id", TASK)));
    expect(error).toBeInstanceOf(InvalidResponseError);
  });

  it.each([undefined, null, "", 7])(
    "task submission: with an ID of %j its outcome is unknown",
    async (taskId) => {
      const error = await reasonOf(answering("create", 202, { ...SUBMISSION, task_id: taskId }));
      expect(error).toBeInstanceOf(SubmissionOutcomeUnknownError);
      expect(error).toMatchObject({ status: 202, request: SAMPLES["provider_a music"] });
    },
  );

  it.each(fields.SUBMISSION.filter(({ name }) => name !== "task_id"))(
    "task submission: an error about a missing $name shows the task ID",
    async ({ name }) => {
      const outcome = await answering("create", 202, without(name, SUBMISSION)).catch(
        (error: unknown) => error,
      );
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(AsyncMusicError);
        expect(outcome).toMatchObject({ taskId: TASK_ID, message: expect.stringContaining(TASK_ID) });
      } else expect(outcome).toMatchObject({ task_id: TASK_ID });
    },
  );

  it.each(NULLABLE)("$name: $field can be null, and is if absent", async ({ call, data, status, field }) => {
    if (field === "output") return;
    expect(await answering(call, status, { ...data, [field]: null })).toMatchObject({ [field]: null });
    expect(await answering(call, status, without(field, data))).toMatchObject({ [field]: null });
  });

  it.each(["pending", "running", "failure", "timeout"])("task: output can be null in %s", async (status) => {
    const data = { ...TASK, status, output: null };
    expect(await answering("retrieve", 200, data)).toEqual(data);
  });

  it.each(["model", "type", "status", "error_code"])(
    "task: an unknown value of %s is returned unchanged",
    async (field) => {
      const data = { ...TASK, status: "running", [field]: "of_a_later_day" };
      expect(await answering("retrieve", 200, data)).toEqual(data);
    },
  );

  it.each(["id", "audio_url"])("a clip of a succeeded task requires its %s", async (field) => {
    const data = { ...TASK, output: { ...output, result: [CLIP, without(field, CLIP)] } };
    const error = await reasonOf(answering("retrieve", 200, data));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ issues: [{ path: `data.output.result.1.${field}` }] });
  });

  it.each(["image_url", "title", "metadata"])("a clip does not require its %s", async (field) => {
    const data = { ...TASK, output: { ...output, result: [without(field, CLIP)] } };
    expect(await answering("retrieve", 200, data)).toEqual(data);
  });

  it.each(["title", "text"])("lyrics require their %s", async (field) => {
    const wrapped = { ...output, task_type: "lyrics", result: without(field, LYRICS) };
    const data = { ...TASK, type: "lyrics", output: wrapped };
    expect(await reasonOf(answering("retrieve", 200, data))).toBeInstanceOf(InvalidResponseError);
  });
});

function without(name: string, { [name]: _, ...others }: Record<string, unknown>): Record<string, unknown> {
  return others;
}

const CALLS = {
  create: ({ tasks }: AsyncMusic) => tasks.create(SAMPLES["provider_a music"]),
  retrieve: ({ tasks }: AsyncMusic) => tasks.retrieve(TASK_ID),
  balance: ({ account }: AsyncMusic) => account.balance(),
  usage: ({ account }: AsyncMusic) => account.usage(),
};

async function answering(call: keyof typeof CALLS, status: number, data: unknown): Promise<unknown> {
  const { client } = createWorld(() => Response.json({ code: status, data }, { status }));
  return CALLS[call](client);
}

import { describe, expect, it } from "vitest";
import { reasonOf } from "../support/rejection.js";
import { createWorld } from "../support/world.js";
import { CLASSES_BY_STATUS, CODE_AGAINST_STATUS, ERROR_CLASSES } from "./tables/error-classes.js";
import { ERROR_CODES } from "./tables/errors.js";
import { SAMPLES } from "./tables/samples.js";

const BY_CODE = [...ERROR_CLASSES, ...CODE_AGAINST_STATUS].flatMap(({ statuses, ...row }) =>
  statuses.map((status) => ({ ...row, status })),
);
const TASK_ID = "0b9f6f2e-6f0a-4c3e-9d7c-6a1f4f3d2c1b";

describe("the SDK's class of an error response", () => {
  it("has a row for every error code of the interface", () => {
    expect(ERROR_CLASSES.map(({ code }) => code)).toEqual(ERROR_CODES.map(({ code }) => code));
  });

  const all = [...BY_CODE, ...CLASSES_BY_STATUS.map((row) => ({ ...row, code: "of_a_later_day" }))];

  it.each(all)("$status $code: $read for a read", async ({ code, status, read }) => {
    const { error } = await reading(status, code);
    expect(error).toMatchObject({ name: read, status, errorCode: code, requestId: "r-1" });
  });

  it.each(all)("$status $code: $post for a POST", async ({ code, status, post }) => {
    const { error, sent } = await creating(status, code);
    expect(error).toMatchObject({ name: post, status, requestId: "r-1" });
    expect(sent).toHaveLength(1);
  });
});

async function reading(status: number, code: string) {
  const { client } = createWorld(() => refusal(status, code), { maxRetries: 0 });
  return { error: await reasonOf(client.tasks.retrieve(TASK_ID)) };
}

async function creating(status: number, code: string) {
  const { client, requests } = createWorld(() => refusal(status, code), { maxRetries: 0 });
  return { error: await reasonOf(client.tasks.create(SAMPLES["provider_a music"])), sent: requests };
}

function refusal(status: number, code: string): Response {
  const body = { code: status, error_code: code, message: "No." };
  return Response.json(body, { status, headers: { "X-Request-Id": "r-1" } });
}

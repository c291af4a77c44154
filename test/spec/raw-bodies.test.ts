import { describe, expect, it } from "vitest";
import { createService, stateOf } from "./emulated-service.js";
import { misfits } from "./misfits.js";
import { statusOf } from "./tables/errors.js";
import { ERROR_BODY } from "./tables/fields.js";
import { RAW_BODIES } from "./tables/raw-bodies.js";

describe("the emulator reads raw bodies", () => {
  it.each(RAW_BODIES)("$name: $expected", async ({ body, contentType, expected }) => {
    const service = createService();
    const before = stateOf(service);
    const headers = contentType === null ? {} : { "Content-Type": contentType };
    const reply = await service.ask("POST", "/api/v1/task", { headers, body });
    if (expected === "accepted") {
      expect(reply).toMatchObject({ status: 202 });
      return;
    }
    const status = statusOf(expected);
    expect(reply).toMatchObject({ status, body: { code: status, error_code: expected } });
    expect(misfits(reply.body, ERROR_BODY)).toEqual([]);
    expect(stateOf(service)).toBe(before);
  });
});

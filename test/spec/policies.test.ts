import { describe, expect, it } from "vitest";
import { findRequestViolation, type RequestRules } from "../../src/contract/request-rules.js";
import { createService, field, stateOf } from "./emulated-service.js";
import { POLICIES } from "./tables/policies.js";

describe("policy options about requests", () => {
  it.each(POLICIES)("the contract, with $name: $expected", ({ policy, body, expected }) => {
    expect(findRequestViolation(body, rulesOf(policy))?.errorCode ?? "accepted").toBe(expected);
  });

  it.each(POLICIES.filter(({ expected }) => expected.includes("audio_format")))(
    "the contract, with $name, names the field",
    ({ policy, body }) => {
      const violation = findRequestViolation(body, rulesOf(policy));
      expect(violation?.issues.map(({ path }) => path)).toEqual(["audio_format"]);
    },
  );

  it.each(POLICIES)("the emulator, with $name: $status", async ({ policy, body, expected, status }) => {
    const service = createService({ policy });
    const before = stateOf(service);
    const reply = await service.post(body);
    expect(reply.status).toBe(status);
    if (expected === "accepted") {
      expect(field(reply.data, "audio_format")).toBe(field(body, "audio_format") ?? null);
      return;
    }
    expect(reply.body).toMatchObject({ code: status, error_code: expected });
    expect(stateOf(service)).toBe(before);
  });
});

function rulesOf(policy: Readonly<Record<string, string | number>>): RequestRules {
  return {
    mixedFieldSets: policy["mixed_field_sets"] === "named_only" ? "named_only" : "reject",
    nullAudioFormat: policy["null_audio_format"] === "omitted" ? "omitted" : "reject",
    audioConversion: policy["audio_conversion"] !== "off",
  };
}

import { expect, it } from "vitest";
import { createService, field } from "./emulated-service.js";

/** A request in which everything is wrong at first. Each step corrects one thing. */
interface Draft {
  method: string;
  path: string;
  key: string | null;
  contentType: string;
  body: string;
}

const MIB = 1_048_576;
const input = { prompt: "calm", make_instrumental: true };
const task = (fields: object) => ({ body: JSON.stringify({ audio_format: "wav", ...fields }) });
const byB = (fields: object) => task({ model: "provider_b", task_type: "music", ...fields });

it("a request with several errors gets them in the fixed order, as each is corrected", async () => {
  const service = createService({ limits: { requests: 1 }, credits: 4 });
  const { emulator } = service;
  const draft: Draft = {
    method: "PUT",
    path: "/api/v1/song",
    key: null,
    contentType: "text/plain",
    body: "{".repeat(MIB + 1),
  };
  const setSuspended = (suspended: boolean) => emulator.accounts.update(emulator.accountId, { suspended });
  const attempt = async (expected: string, change: Partial<Draft>) => {
    Object.assign(draft, change);
    const { method, path, key, contentType, body } = draft;
    const reply = await service.ask(method, path, { key, headers: { "Content-Type": contentType }, body });
    expect(`${reply.status} ${String(field(reply.body, "error_code"))}`).toBe(expected);
  };
  const attemptInNewWindow = async (expected: string, change: Partial<Draft>) => {
    await emulator.clock.advance(60_000);
    await attempt(expected, change);
  };

  setSuspended(true);
  emulator.providers.provider_b.always({ outcome: "reject" });
  await service.get("/api/v1/account/usage");
  await attempt("404 not_found", {});
  await attempt("405 method_not_allowed", { path: "/api/v1/task" });
  await attempt("401 missing_api_key", { method: "POST" });
  await attempt("401 invalid_api_key", { key: "emu_unknown" });
  await attempt("429 rate_limited", { key: emulator.apiKey });
  await attemptInNewWindow("403 account_suspended", {});
  setSuspended(false);
  await attemptInNewWindow("400 invalid_request_body", {});
  await attemptInNewWindow("400 invalid_request_body", { contentType: "application/json" });
  await attemptInNewWindow("400 invalid_json", { body: "{" });
  await attemptInNewWindow("400 invalid_request_body", { body: "[]" });
  const wrong = { task_type: "video", input: 7 };
  await attemptInNewWindow("400 missing_required_fields", task(wrong));
  await attemptInNewWindow("400 invalid_model", task({ ...wrong, model: "provider_c" }));
  await attemptInNewWindow("400 unsupported_task_type", byB(wrong));
  await attemptInNewWindow("400 invalid_audio_format", byB({ input: 7 }));
  await attemptInNewWindow("400 invalid_task_input", byB({ input, audio_format: "mp3" }));
  const correct = { input: { prompt: "a" }, audio_format: "mp3" };
  await attemptInNewWindow("402 insufficient_credits", byB(correct));
  expect(emulator.accounts.get(emulator.accountId)).toMatchObject({
    balance: { available: 4, frozen: 0, total: 4 },
    usage: { tasks_created: 0, credits_used: 0 },
  });
});

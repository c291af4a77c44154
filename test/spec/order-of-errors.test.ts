import { expect, it } from "vitest";
import { createService, field } from "./emulated-service.js";

/** A request in which everything is wrong at first. Each step puts one thing right. */
interface Draft {
  method: string;
  path: string;
  key: string | null;
  contentType: string;
  body: string;
}

const input = { prompt: "calm", make_instrumental: true };
const MIB = 1_048_576;

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
  emulator.accounts.update(emulator.accountId, { suspended: true });
  emulator.providers.provider_b.always({ outcome: "reject" });
  await service.get("/api/v1/account/usage");

  const order: string[] = [];
  const attempt = async (change: Partial<Draft>) => {
    Object.assign(draft, change);
    const { method, path, key, contentType, body } = draft;
    const reply = await service.ask(method, path, { key, headers: { "Content-Type": contentType }, body });
    order.push(`${reply.status} ${String(field(reply.body, "error_code") ?? "accepted")}`);
  };
  const attemptInNewWindow = async (change: Partial<Draft>) => {
    await emulator.clock.advance(60_000);
    await attempt(change);
  };
  const task = (fields: object) => ({ body: JSON.stringify({ audio_format: "wav", ...fields }) });

  await attempt({});
  await attempt({ path: "/api/v1/task" });
  await attempt({ method: "POST" });
  await attempt({ key: "emu_unknown" });
  await attempt({ key: emulator.apiKey });
  await attemptInNewWindow({});
  emulator.accounts.update(emulator.accountId, { suspended: false });
  await attemptInNewWindow({});
  await attemptInNewWindow({ contentType: "application/json" });
  await attemptInNewWindow({ body: "{" });
  await attemptInNewWindow({ body: "[]" });
  await attemptInNewWindow(task({ task_type: "video", input: 7 }));
  await attemptInNewWindow(task({ model: "provider_c", task_type: "video", input: 7 }));
  await attemptInNewWindow(task({ model: "provider_b", task_type: "video", input: 7 }));
  await attemptInNewWindow(task({ model: "provider_b", task_type: "music", input: 7 }));
  await attemptInNewWindow(task({ model: "provider_b", task_type: "music", input, audio_format: "mp3" }));
  await attemptInNewWindow(
    task({ model: "provider_b", task_type: "music", input: { prompt: "a" }, audio_format: "mp3" }),
  );

  expect(order).toEqual([
    "404 not_found",
    "405 method_not_allowed",
    "401 missing_api_key",
    "401 invalid_api_key",
    "429 rate_limited",
    "403 account_suspended",
    "400 invalid_request_body",
    "400 invalid_request_body",
    "400 invalid_json",
    "400 invalid_request_body",
    "400 missing_required_fields",
    "400 invalid_model",
    "400 unsupported_task_type",
    "400 invalid_audio_format",
    "400 invalid_task_input",
    "402 insufficient_credits",
  ]);
  expect(emulator.accounts.get(emulator.accountId)).toMatchObject({
    balance: { available: 4, frozen: 0, total: 4 },
    usage: { tasks_created: 0, credits_used: 0 },
  });
});

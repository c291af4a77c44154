import { describe, expect, test } from "vitest";
import { createService, VALID } from "./support/service.js";

const music = (input: unknown) => ({ model: "provider_a", task_type: "music", input });
const providerB = (input: unknown) => ({ model: "provider_b", task_type: "music", input });
const upload = (url: unknown) => ({ model: "provider_a", task_type: "upload", input: { url } });

/** Bodies that are refused, with the code that they are refused with. */
const REFUSED: [string, unknown, string][] = [
  ["no JSON at all", "{", "invalid_json"],
  ["an empty body", "", "invalid_json"],
  ["a list", [], "invalid_request_body"],
  ["a string", '"music"', "invalid_request_body"],
  ["null", "null", "invalid_request_body"],
  ["an empty object", {}, "missing_required_fields"],
  ["no model", { task_type: "music", input: {} }, "missing_required_fields"],
  ["no task type", { model: "provider_a", input: {} }, "missing_required_fields"],
  ["no input", { model: "provider_a", task_type: "music" }, "missing_required_fields"],
  ["an unknown model", { ...VALID.song, model: "provider_c" }, "invalid_model"],
  ["a model that is no string", { ...VALID.song, model: 1 }, "invalid_model"],
  ["an unknown task type", { ...VALID.song, task_type: "video" }, "unsupported_task_type"],
  ["lyrics of provider_b", { ...VALID.lyrics, model: "provider_b" }, "unsupported_task_type"],
  ["an upload to provider_b", { ...VALID.upload, model: "provider_b" }, "unsupported_task_type"],
  ["a concat of provider_b", { ...VALID.concat, model: "provider_b" }, "unsupported_task_type"],
  ["another audio format", { ...VALID.song, audio_format: "wav" }, "invalid_audio_format"],
  ["an audio format of null", { ...VALID.song, audio_format: null }, "invalid_audio_format"],
  ["an audio format in capitals", { ...VALID.song, audio_format: "MP3" }, "invalid_audio_format"],
  ["an input that is a list", music([]), "invalid_task_input"],
  ["music with nothing to go by", music({}), "invalid_task_input"],
  ["music with a title alone", music({ title: "Rain" }), "invalid_task_input"],
  ["a blank description", music({ gpt_description_prompt: " \n" }), "invalid_task_input"],
  ["a description that is no string", music({ gpt_description_prompt: 5 }), "invalid_task_input"],
  ["blank lyrics and blank styles", music({ prompt: " ", tags: "" }), "invalid_task_input"],
  ["make_instrumental as a string", music({ tags: "fado", make_instrumental: "yes" }), "invalid_task_input"],
  ["an unknown model version", music({ tags: "fado", model_version: "v4" }), "invalid_task_input"],
  ["a blank clip to continue", music({ continue_clip_id: " " }), "invalid_task_input"],
  ["a negative continue_at", music({ continue_clip_id: "c", continue_at: -1 }), "invalid_task_input"],
  [
    "lyrics_type with inspiration",
    music({ gpt_description_prompt: "x", lyrics_type: "user" }),
    "invalid_task_input",
  ],
  ["lyrics with custom mode", music({ tags: "x", lyrics: "la" }), "invalid_task_input"],
  ["seed with a continuation", music({ continue_clip_id: "c", seed: 1 }), "invalid_task_input"],
  ["provider_b without prompt", providerB({ tags: "fado" }), "invalid_task_input"],
  ["provider_b with a blank prompt", providerB({ prompt: " " }), "invalid_task_input"],
  [
    "provider_b with a description",
    providerB({ prompt: "x", gpt_description_prompt: "y" }),
    "invalid_task_input",
  ],
  [
    "provider_b with make_instrumental",
    providerB({ prompt: "x", make_instrumental: false }),
    "invalid_task_input",
  ],
  ["provider_b with a title", providerB({ prompt: "x", title: "Rain" }), "invalid_task_input"],
  ["an unknown lyrics_type", providerB({ prompt: "x", lyrics_type: "sung" }), "invalid_task_input"],
  ["a seed with a fraction", providerB({ prompt: "x", seed: 1.5 }), "invalid_task_input"],
  ["lyrics without prompt", { ...VALID.lyrics, input: {} }, "invalid_task_input"],
  ["an upload by ftp", upload("ftp://files.example.com/a.wav"), "invalid_task_input"],
  ["an upload from this machine", upload("http://127.0.0.1/a.wav"), "invalid_task_input"],
  ["an upload from this machine in hexadecimal", upload("http://0x7f000001/a.wav"), "invalid_task_input"],
  ["an upload from a private network", upload("https://10.1.2.3/a.wav"), "invalid_task_input"],
  ["an upload from an IPv4 address in IPv6", upload("http://[::ffff:10.0.0.1]/a.wav"), "invalid_task_input"],
  ["an upload from a local name", upload("http://music.internal/a.wav"), "invalid_task_input"],
  ["a blank clip to join", { ...VALID.concat, input: { clip_id: "" } }, "invalid_task_input"],
];

/** Bodies that are accepted, with their price. */
const ACCEPTED: [string, unknown, number][] = [
  ["inspiration", VALID.song, 10],
  ["custom mode", VALID.custom, 10],
  ["an instrumental by styles alone", music({ tags: "fado", make_instrumental: true }), 10],
  ["an empty prompt beside styles", music({ prompt: "", tags: "fado" }), 10],
  ["empty styles beside a prompt", music({ prompt: "la", tags: " " }), 10],
  ["a continuation", music({ continue_clip_id: "c", continue_at: 0, prompt: "la" }), 10],
  ["what a continuation ignores", music({ continue_clip_id: "c", tags: 5, make_instrumental: "x" }), 10],
  ["what inspiration ignores", music({ gpt_description_prompt: "x", prompt: 5, tags: {}, title: [] }), 10],
  ["a retired model version", music({ tags: "fado", model_version: "v5.5" }), 10],
  ["a title that is an object", music({ tags: "fado", title: { a: 1 } }), 10],
  ["unknown fields", { ...music({ tags: "fado", temperature: 1 }), priority: "high" }, 10],
  ["another task type's fields", { ...VALID.lyrics, input: { prompt: "x", clip_id: 5, url: "y" } }, 5],
  ["provider_b", VALID.providerB, 5],
  [
    "provider_b with all its fields",
    providerB({ prompt: "x", lyrics: "", tags: "", lyrics_type: "user", seed: -3 }),
    5,
  ],
  ["lyrics", VALID.lyrics, 5],
  ["lyrics with an audio format", { ...VALID.lyrics, audio_format: "mp3" }, 5],
  ["an upload", VALID.upload, 1],
  ["an upload by HTTPS in capitals", upload("HTTPS://files.example.com/a.wav"), 1],
  ["a concat", VALID.concat, 5],
];

describe("a submission that breaks a rule is refused, and changes nothing", () => {
  test.each(REFUSED)("%s", async (_, body, errorCode) => {
    const { post, balance, get, emulator } = createService({ credits: 100 });
    const { status, body: error } = await post(body);
    expect({ status, error }).toEqual({
      status: 400,
      error: { code: 400, error_code: errorCode, message: expect.any(String) },
    });
    expect(await balance()).toEqual({ available: 100, frozen: 0, total: 100 });
    expect((await get("/api/v1/account/usage")).body.data.tasks_created).toBe(0);
    expect(emulator.accounts.get(emulator.accountId).ledger).toHaveLength(1);
  });
});

describe("a submission that the interface allows is accepted, and its price is frozen", () => {
  test.each(ACCEPTED)("%s", async (_, body, credits) => {
    const { post, balance } = createService({ credits: 100 });
    const { status, body: answer } = await post(body);
    expect(status).toBe(202);
    expect(answer).toEqual({
      code: 202,
      data: {
        task_id: expect.stringMatching(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
        type: expect.any(String),
        status: "pending",
        credits_charged: credits,
        created_at: "2026-01-01T00:00:00.000Z",
        audio_format: (body as { audio_format?: string }).audio_format ?? null,
      },
    });
    expect(await balance()).toEqual({ available: 100 - credits, frozen: credits, total: 100 });
  });
});

describe("of several errors the first in the fixed order wins", () => {
  const wrong = { model: "provider_c", task_type: "video", input: {}, audio_format: "wav" };
  const rungs: [string, { headers?: Record<string, string>; body: unknown }, string][] = [
    [
      "content type before JSON",
      { headers: { "Content-Type": "text/plain" }, body: "{" },
      "invalid_request_body",
    ],
    ["JSON before shape", { body: "[" }, "invalid_json"],
    ["shape before fields", { body: [wrong] }, "invalid_request_body"],
    ["fields before model", { body: { ...wrong, input: undefined } }, "missing_required_fields"],
    ["model before task type", { body: wrong }, "invalid_model"],
    ["task type before format", { body: { ...wrong, model: "provider_a" } }, "unsupported_task_type"],
    [
      "format before input",
      { body: { ...wrong, model: "provider_a", task_type: "music" } },
      "invalid_audio_format",
    ],
    ["input before credits", { body: music({}) }, "invalid_task_input"],
    ["credits last", { body: VALID.song }, "insufficient_credits"],
  ];

  test.each(rungs)("%s", async (_, { headers = {}, body }, errorCode) => {
    const { post } = createService({ credits: 0 });
    expect((await post(body, headers)).body.error_code).toBe(errorCode);
  });

  test("suspension comes before everything about the body", async () => {
    const { post, emulator } = createService();
    emulator.accounts.update(emulator.accountId, { suspended: true });
    expect((await post("{", { "Content-Type": "text/plain" })).body.error_code).toBe("account_suspended");
  });

  test("the rate limit comes before suspension, and authentication before the rate limit", async () => {
    const { post, get, emulator } = createService({ limits: { requests: 1 } });
    emulator.accounts.update(emulator.accountId, { suspended: true });
    await get("/api/v1/account/balance");
    expect((await post("{")).body.error_code).toBe("rate_limited");
    expect((await post("{", { "x-api-key": "emu_wrong" })).body.error_code).toBe("invalid_api_key");
  });

  test("path and method come before authentication", async () => {
    const { send } = createService();
    expect((await send("/api/v1/nothing")).body.error_code).toBe("not_found");
    expect((await send("/api/v1/task", { method: "PUT" })).body.error_code).toBe("method_not_allowed");
  });
});

test("credits that are exactly enough suffice, and one too few do not", async () => {
  const { post, balance } = createService({ credits: 19 });
  expect((await post(VALID.song)).status).toBe(202);
  const { status, body } = await post(VALID.song);
  expect([status, body.error_code]).toEqual([402, "insufficient_credits"]);
  expect(await balance()).toEqual({ available: 9, frozen: 10, total: 19 });
});

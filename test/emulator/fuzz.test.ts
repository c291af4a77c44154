import fc from "fast-check";
import { expect, test } from "vitest";
import { BALANCE, createService, TASK, USAGE, VALID } from "./support/service.js";

const field = fc.constantFrom(
  "model",
  "task_type",
  "input",
  "audio_format",
  "prompt",
  "tags",
  "title",
  "gpt_description_prompt",
  "continue_clip_id",
  "url",
  "clip_id",
  "seed",
  "__proto__",
);
const word = fc.oneof(
  fc.constantFrom(
    "provider_a",
    "provider_b",
    "music",
    "lyrics",
    "upload",
    "concat",
    "mp3",
    "",
    "https://[::1]/",
    "http://",
  ),
  fc.string({ unit: "binary" }),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    word,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(field, tie("any"), { maxKeys: 5 }),
  ),
})).any;

const body = fc.oneof(
  value.map((each) => JSON.stringify(each)),
  fc.record({ model: word, task_type: word, input: value }).map((each) => JSON.stringify(each)),
  fc.dictionary(field, value).map((input) => JSON.stringify({ ...VALID.song, input })),
  fc.string({ unit: "binary" }),
);
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const path = fc.oneof(
  fc.constantFrom(TASK, BALANCE, USAGE, "/", "/audio/x", "//", "/api/v1/task/"),
  fc.webPath().map((text) => `/${text}`),
  fc.string({ unit: "grapheme" }).map((text) => `/api/v1/task/${encodeURIComponent(text)}`),
);

test("whatever is sent, the answer has a request id and an error body, and is never a 500", async () => {
  const { send, emulator } = createService({ credits: 1_000_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        path,
        method: fc.constantFrom("GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"),
        body,
        contentType: fc.oneof({ weight: 5, arbitrary: fc.constant("application/json") }, headerText),
        apiKey: fc.oneof({ weight: 5, arbitrary: fc.constant(emulator.apiKey) }, headerText),
        requestId: headerText,
        outcome: fc.option(
          fc.oneof(
            headerText,
            value.map((each) => JSON.stringify(each)),
          ),
          { freq: 3 },
        ),
      }),
      async ({ path, method, body, contentType, apiKey, requestId, outcome }) => {
        const headers = new Headers({
          "x-api-key": apiKey,
          "Content-Type": contentType,
          "X-Request-Id": requestId,
        });
        if (outcome !== null && /^[\x20-\x7e]*$/.test(outcome)) headers.set("X-Emulator-Outcome", outcome);
        const hasBody = method !== "GET" && method !== "HEAD";
        const reply = await send(path, { method, headers, ...(hasBody && { body }) });
        expect(reply.status === 502 || reply.status < 500).toBe(true);
        expect(reply.headers.get("X-Request-Id")).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
        if (reply.status >= 400 && method !== "HEAD") {
          expect(reply.body).toMatchObject({ code: reply.status, error_code: expect.any(String) });
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

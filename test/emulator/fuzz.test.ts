import fc from "fast-check";
import { expect, test } from "vitest";
import { inProcessOrigins } from "../../emulator/http/service.js";
import { BALANCE, createService, TASK, USAGE, VALID } from "./support/service.js";

const FIELDS = `model task_type input audio_format prompt tags title gpt_description_prompt continue_clip_id
  url clip_id seed __proto__`;
const WORDS = "provider_a provider_b music lyrics upload concat mp3 https://[::1]/ http://";
const field = fc.constantFrom(...FIELDS.split(/\s+/));
const word = fc.oneof(fc.constantFrom(...WORDS.split(" "), ""), fc.string({ unit: "binary" }));
/** Any JSON of these names, strings and numbers. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    ...[word, fc.double(), fc.boolean(), fc.constant(null)],
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(field, tie("value"), { maxKeys: 5 }),
  ),
}));

const body = fc.oneof(
  fc.constantFrom(...Object.values(VALID)).map((each) => JSON.stringify(each)),
  value.map((each) => JSON.stringify(each)),
  fc.record({ model: word, task_type: word, input: value }).map((each) => JSON.stringify(each)),
  fc.dictionary(field, value).map((input) => JSON.stringify({ ...VALID.song, input })),
  fc.string({ unit: "binary" }),
);
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const PROVIDER_ORIGINS = Object.values(inProcessOrigins().providers);

const header = fc.oneof(
  headerText,
  value.map((each) => JSON.stringify(each).replace(/[^\x20-\x7e]/g, "?")),
  fc.constant("bytes=0-9"),
);
const outcome = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('{"outcome":"reject"}', '{"polls":1}', '{"outcome":"hang"}') },
  header,
);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constant(TASK) },
  { weight: 3, arbitrary: fc.constantFrom(BALANCE, USAGE, "/", "/openapi.json", "/audio/x") },
  fc.constantFrom("//", "/api/v1/task/"),
  fc.webPath().map((text) => `/${text}`),
  fc.string({ unit: "grapheme" }).map((text) => `/api/v1/task/${encodeURIComponent(text)}`),
  fc.string({ unit: "grapheme" }).map((text) => `/provider_a/art/${encodeURIComponent(text)}/small`),
);
const anyBody = fc.oneof(
  { weight: 6, arbitrary: body },
  fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
);

/** Milliseconds after which an exchange counts as hanging: no machine is so slow. */
const HANGS_AFTER = 60_000;

test("every request gets a response with a request ID, an error body if it fails, and never a 500", async () => {
  const { send, emulator } = createService({ credits: 1_000_000 });
  const right = (arbitrary: fc.Arbitrary<string>, usual: string) =>
    fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, arbitrary);
  const requests = fc.record({
    origin: right(fc.constantFrom(...PROVIDER_ORIGINS), emulator.url),
    path,
    method: fc.oneof(
      { weight: 5, arbitrary: fc.constant("POST") },
      { weight: 2, arbitrary: fc.constant("GET") },
      fc.constantFrom("PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW"),
    ),
    body: anyBody,
    headers: fc.record(
      {
        "x-api-key": right(headerText, emulator.apiKey),
        "Content-Type": right(headerText, "application/json"),
        "X-Request-Id": headerText,
        "X-Emulator-Outcome": outcome,
        Range: header,
        Host: header,
        Origin: header,
        Accept: header,
        "Content-Length": header,
      },
      { requiredKeys: ["x-api-key", "Content-Type"] },
    ),
  });
  await fc.assert(
    fc.asyncProperty(requests, async ({ origin, path, method, body, headers }) => {
      const hasBody = method !== "GET" && method !== "HEAD";
      const reply = await send(origin + path, { method, headers, ...(hasBody && { body }) });
      expect(reply.status === 502 || reply.status < 500).toBe(true);
      expect(reply.headers.get("X-Request-Id")).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      if (reply.status >= 400 && method !== "HEAD") {
        expect(reply.body).toMatchObject({ code: reply.status, error_code: expect.any(String) });
      }
    }),
    { numRuns: 10_000, timeout: HANGS_AFTER },
  );
  const reached = new Set(emulator.requests.map(({ status }) => status));
  for (const status of [200, 202, 400, 401, 404, 405, 502]) expect(reached).toContain(status);
});

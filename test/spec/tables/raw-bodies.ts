import type { ErrorCode } from "./errors.js";

/** One body as it stands on the wire, for what no JSON value can say. */
export interface RawBodyRow {
  name: string;
  body: string | Uint8Array<ArrayBuffer> | null;
  /** `null`: the header is absent. */
  contentType: string | null;
  expected: "accepted" | ErrorCode;
}

const json = "application/json";
const lyrics = '{"model":"provider_a","task_type":"lyrics","input":{"prompt":"rain"}}';
const padded = (bytes: number) => `${lyrics}${" ".repeat(bytes - lyrics.length)}`;
const MIB = 1_048_576;

/** Endpoints, POST: the content type; Errors: `invalid_json` and `invalid_request_body`; Fixed details: bodies. */
export const RAW_BODIES: readonly RawBodyRow[] = [
  { name: "JSON", body: lyrics, contentType: json, expected: "accepted" },
  {
    name: "JSON with a charset",
    body: lyrics,
    contentType: "application/json; charset=utf-8",
    expected: "accepted",
  },
  {
    name: "JSON with a content type in capitals",
    body: lyrics,
    contentType: "Application/JSON",
    expected: "accepted",
  },
  { name: "JSON with blanks around it", body: ` \n${lyrics}\t\r\n`, contentType: json, expected: "accepted" },
  {
    name: "a key that is a name of every object's prototype",
    body: '{"__proto__":{"model":"provider_a"},"task_type":"lyrics","input":{"prompt":"rain"}}',
    contentType: json,
    expected: "missing_required_fields",
  },
  {
    name: "an input whose fields stand in its prototype",
    body: '{"model":"provider_a","task_type":"lyrics","input":{"__proto__":{"prompt":"rain"}}}',
    contentType: json,
    expected: "invalid_task_input",
  },
  { name: "no body", body: null, contentType: json, expected: "invalid_json" },
  { name: "an empty body", body: "", contentType: json, expected: "invalid_json" },
  { name: "half of a body", body: lyrics.slice(0, 30), contentType: json, expected: "invalid_json" },
  { name: "a comma too many", body: lyrics.replace(/}$/, ",}"), contentType: json, expected: "invalid_json" },
  { name: "single quotes", body: lyrics.replaceAll('"', "'"), contentType: json, expected: "invalid_json" },
  { name: "two values", body: `${lyrics}${lyrics}`, contentType: json, expected: "invalid_json" },
  { name: "NaN", body: '{"model":NaN}', contentType: json, expected: "invalid_json" },
  {
    name: "bytes that are no UTF-8",
    body: new Uint8Array([0x22, 0xc3, 0x28, 0x22]),
    contentType: json,
    expected: "invalid_json",
  },
  {
    name: "a form's content type",
    body: lyrics,
    contentType: "application/x-www-form-urlencoded",
    expected: "invalid_request_body",
  },
  { name: "plain text", body: lyrics, contentType: "text/plain", expected: "invalid_request_body" },
  {
    name: "no content type",
    body: new TextEncoder().encode(lyrics),
    contentType: null,
    expected: "invalid_request_body",
  },
  {
    name: "a content type of XML",
    body: "<task/>",
    contentType: "application/xml",
    expected: "invalid_request_body",
  },
  {
    name: "another content type, and no JSON either",
    body: "{",
    contentType: "text/plain",
    expected: "invalid_request_body",
  },
  { name: "exactly 1 MiB", body: padded(MIB), contentType: json, expected: "accepted" },
  { name: "one byte over 1 MiB", body: padded(MIB + 1), contentType: json, expected: "invalid_request_body" },
  {
    name: "over 1 MiB, and no JSON either",
    body: "{".repeat(MIB + 1),
    contentType: json,
    expected: "invalid_request_body",
  },
  {
    name: "over 1 MiB in bytes, though not in characters",
    body: `{"model":"provider_a","task_type":"lyrics","input":{"prompt":"${"\u96e8".repeat(350_000)}"}}`,
    contentType: json,
    expected: "invalid_request_body",
  },
  {
    name: "continue_at beyond every number",
    body: '{"model":"provider_a","task_type":"music","input":{"continue_clip_id":"c","continue_at":1e999}}',
    contentType: json,
    expected: "invalid_task_input",
  },
  {
    name: "a seed that is written with a decimal point",
    body: '{"model":"provider_b","task_type":"music","input":{"prompt":"calm","seed":7.0}}',
    contentType: json,
    expected: "accepted",
  },
];

/** Nesting too deep to handle: refused with 400, whichever code it bears, and never a 500. */
export const DEEP_BODIES = [
  { name: "lists in lists", body: "[".repeat(100_000) + "]".repeat(100_000) },
  {
    name: "a deep extra in an input",
    body: `{"model":"provider_a","task_type":"lyrics","input":{"prompt":"rain","deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`,
  },
  {
    name: "a deep title",
    body: `{"model":"provider_a","task_type":"music","input":{"tags":"fado","title":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}`,
  },
] as const;

import type { ErrorCode } from "./errors.js";

/** One body as it is sent, for cases that no JSON value can express. */
export interface RawBodyRow {
  name: string;
  body: string | Uint8Array<ArrayBuffer> | null;
  /** `null`: the header is absent. */
  contentType: string | null;
  expected: "accepted" | ErrorCode;
}

type Row = readonly [name: string, body: RawBodyRow["body"], contentType?: string | null];

const lyrics = '{"model":"provider_a","task_type":"lyrics","input":{"prompt":"rain"}}';
const padded = (bytes: number) => `${lyrics}${" ".repeat(bytes - lyrics.length)}`;
const withInput = (input: string, model = "provider_a") =>
  `{"model":"${model}","task_type":"music","input":${input}}`;
const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const MIB = 1_048_576;

/** Endpoints, POST: the content type; Errors: `invalid_json` and `invalid_request_body`; Fixed details: bodies. */
export const RAW_BODIES: readonly RawBodyRow[] = [
  ...rows("accepted", [
    ["JSON", lyrics],
    ["JSON with a charset", lyrics, "application/json; charset=utf-8"],
    ["JSON with a content type in capitals", lyrics, "Application/JSON"],
    ["JSON with blanks around it", ` \n${lyrics}\t\r\n`],
    ["exactly 1 MiB", padded(MIB)],
    ["a seed that is written with a decimal point", withInput('{"prompt":"calm","seed":7.0}', "provider_b")],
  ]),
  ...rows("missing_required_fields", [
    [
      "a key that is a name of every object's prototype",
      `{"__proto__":{"model":"provider_a"},${lyrics.slice(22)}`,
    ],
  ]),
  ...rows("invalid_task_input", [
    [
      "an input whose fields stand in its prototype",
      lyrics.replace('{"prompt":"rain"}', '{"__proto__":{"prompt":"rain"}}'),
    ],
    ["continue_at beyond every number", withInput('{"continue_clip_id":"c","continue_at":1e999}')],
  ]),
  ...rows("invalid_json", [
    ["no body", null],
    ["an empty body", ""],
    ["half of a body", lyrics.slice(0, 30)],
    ["a comma too many", lyrics.replace(/}$/, ",}")],
    ["single quotes", lyrics.replaceAll('"', "'")],
    ["two values", `${lyrics}${lyrics}`],
    ["NaN", '{"model":NaN}'],
    ["bytes that are no UTF-8", new Uint8Array([0x22, 0xc3, 0x28, 0x22])],
    ["a byte that no UTF-8 has", new Uint8Array([0x22, 0xff, 0x22])],
  ]),
  ...rows("invalid_request_body", [
    ["a form's content type", lyrics, "application/x-www-form-urlencoded"],
    ["plain text", lyrics, "text/plain"],
    ["JSON5", lyrics, "application/json5"],
    ["no content type", new TextEncoder().encode(lyrics), null],
    ["a content type of XML", "<task/>", "application/xml"],
    ["another content type, and no JSON either", "{", "text/plain"],
    ["one byte over 1 MiB", padded(MIB + 1)],
    ["over 1 MiB, and no JSON either", "{".repeat(MIB + 1)],
    ["over 1 MiB in bytes, though not in characters", withInput(`{"tags":"${"\u96e8".repeat(350_000)}"}`)],
    ...[1_001, 5_000, 100_000].flatMap((depth): Row[] => [
      [`${depth} lists in lists`, lists(depth)],
      [`an extra of ${depth} lists in an input`, withInput(`{"tags":"fado","deep":${lists(depth)}}`)],
      [`a title of ${depth} objects`, withInput(`{"tags":"fado","title":${objects(depth)}}`)],
    ]),
  ]),
];

function rows(expected: RawBodyRow["expected"], bodies: readonly Row[]): RawBodyRow[] {
  return bodies.map(([name, body, contentType = "application/json"]) => ({
    name,
    body,
    contentType,
    expected,
  }));
}

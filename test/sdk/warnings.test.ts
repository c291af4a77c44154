import type { ClientOptions, TaskRequest } from "async-music";
import { AsyncMusic, InvalidRequestError } from "async-music";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLog } from "../support/log.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  acceptedAnew,
  acceptedAs,
  limited,
  SONG_REQUEST,
  serveAnew,
} from "../support/responses.js";
import { turns } from "../support/test-clock.js";
import { watchUnhandledRejections } from "../support/unhandled.js";
import { API_KEY, createWorld, inTurn } from "../support/world.js";

/** The warnings of a log, and the level of every other line. */
const shortened = ({ lines }: ReturnType<typeof createLog>) =>
  lines.map(({ level, message }) => (level === "warn" ? message : level));

const input = (fields: object): TaskRequest => ({
  ...SONG_REQUEST,
  input: { ...SONG_REQUEST.input, ...fields },
});
const other = (task_type: string, fields: unknown) => ({ model: "provider_a", task_type, input: fields });
const musicB = (fields: object) => ({
  model: "provider_b",
  task_type: "music",
  input: { prompt: "rain", ...fields },
});

describe("a field whose name looks misspelled", () => {
  const warningsOf = async (request: object, options: Omit<ClientOptions, "clock"> = {}) => {
    const logger = createLog();
    const { client, requests } = createWorld(acceptedAs, {
      logger,
      validateRequests: false,
      ...options,
    });
    await client.tasks.create(request as TaskRequest);
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual(request);
    return shortened(logger);
  };

  test("is sent, and logged once as a warning, without its value", async () => {
    const logger = createLog();
    const { client, requests } = createWorld(serveAnew, { logger });
    const request = input({ titel: "my secret title" });
    await client.tasks.create(request);
    await client.tasks.run(request);
    await client.tasks.run(input({ titel: 7 }));
    for await (const _ of client.tasks.runAll([request]));
    expect(JSON.parse(requests[0]?.body ?? "").input.titel).toBe("my secret title");
    expect(shortened(logger)).toEqual([
      "Unknown field `input.titel`, which the service ignores. Did you mean `title`?",
    ]);
  });

  test.each<[name: string, meant: string, request: object]>([
    ["promt", "prompt", input({ promt: "x" })],
    ["tgas", "tags", input({ tgas: "x" })],
    ["makeInstrumental", "make_instrumental", input({ makeInstrumental: true })],
    ["instrumental", "make_instrumental", input({ instrumental: true })],
    ["modelVersion", "model_version", input({ modelVersion: "v6" })],
    ["continue_clip", "continue_clip_id", input({ continue_clip: "x" })],
    ["negativ_tags", "negative_tags", input({ negativ_tags: "x" })],
    ["lyric", "lyrics", musicB({ lyric: "x" })],
    ["seeds", "seed", musicB({ seeds: 1 })],
    ["promtp", "prompt", other("lyrics", { prompt: "x", promtp: "x" })],
    ["ulr", "url", other("upload", { url: "https://a.example/b", ulr: "x" })],
    ["clipId", "clip_id", other("concat", { clip_id: "x", clipId: "x" })],
  ])("`%s` is logged with the suggestion `%s`", async (name, meant, request) => {
    expect(await warningsOf(request)).toEqual([
      `Unknown field \`input.${name}\`, which the service ignores. Did you mean \`${meant}\`?`,
    ]);
  });

  test.each(["audio_formt", "audioFormat"])("`%s` outside of `input` is logged, too", async (name) => {
    expect(await warningsOf({ ...input({}), [name]: "mp3" })).toEqual([
      `Unknown field \`${name}\`, which the service ignores. Did you mean \`audio_format\`?`,
    ]);
  });

  test.each<[what: string, request: object]>([
    ["the fields of the mode", input({ negative_tags: "x", make_instrumental: true, model_version: "v6" })],
    ["an ignored or misspelled field without a value", input({ tags: null, titel: null })],
    ["fields of another kind", input({ mood: "calm", x: 1, workspace: "w", "": 1, 雨: 1 })],
    ["a longer name of its own", input({ prompt_id: 7, my_title: "x", lyrics_language: "pt", tags_v2: [] })],
    ["the fields of another task type", other("lyrics", { prompt: "x", title: "x" })],
    ["a name that is a long string", input({ [`prompt ${"prompt ".repeat(9)}`]: 1 })],
    ["no input", { model: "provider_a", task_type: "music" }],
    ["an input that is not an object", other("music", "titel")],
    ["an unknown model", { model: "provider_c", task_type: "music", input: { titel: "x" } }],
    ["an unknown task type", other("video", { titel: "x" })],
    ["another field outside of the input", { ...input({}), titel: "x", mood: "x" }],
    ["a list", [null]],
  ])("%s: no warning", async (_, request) => {
    expect(await warningsOf(request)).toEqual([]);
  });

  test("that contains the key is not logged", async () => {
    expect(await warningsOf(input({ titlekey: 1 }), { apiKey: "titlekey" })).toEqual([]);
  });

  test("is logged for at most 100 names", async () => {
    const logger = createLog();
    const { client } = createWorld(() => accepted(), { logger });
    const names = Array.from({ length: 300 }, (_, index) => `title${index}`);
    await client.tasks.create(input(Object.fromEntries(names.map((name) => [name, 1]))));
    expect(shortened(logger)).toHaveLength(100);
  });

  test.each(["debug", "info", "warn", "error", "off"] as const)("with the log level %s", async (logLevel) => {
    const lines = await warningsOf(input({ titel: "x" }), { logLevel });
    const times = ["error", "off"].includes(logLevel) ? 0 : 1;
    expect(lines.filter((line) => line.startsWith("Unknown field"))).toHaveLength(times);
  });

  test.each(["throws", "rejects"])("does not fail the create if the logger %s", async (how) => {
    const unhandled = watchUnhandledRejections();
    const warn = () => {
      if (how === "rejects") return Promise.reject(new Error("a bug in a logger"));
      throw new Error("a bug in a logger");
    };
    const { client } = createWorld(() => accepted(), { logger: { ...createLog(), warn } });
    await client.tasks.create(input({ titel: "x" }));
    await turns(2);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("a field that the mode of `provider_a`'s music ignores", () => {
  // Resources: Input for provider_a, task music: "accepted, ignored" and "n/a".
  const IGNORED: [what: string, deciding: object, rest: object, ignored: string[]][] = [
    [
      "with `gpt_description_prompt`",
      { gpt_description_prompt: "rain" },
      { negative_tags: "x", make_instrumental: true, model_version: "v5" },
      ["prompt", "tags", "title", "continue_at"],
    ],
    [
      "with `continue_clip_id`",
      { continue_clip_id: "c" },
      { prompt: "x", title: "x", model_version: "v5", continue_at: 1 },
      ["gpt_description_prompt", "tags", "negative_tags", "make_instrumental"],
    ],
    [
      "without `continue_clip_id`",
      { prompt: "x" },
      { tags: "x", title: "x", negative_tags: "x", make_instrumental: true, model_version: "v5" },
      ["continue_at"],
    ],
  ];

  test.each(IGNORED)("is sent, and logged once as a warning: %s", async (what, deciding, rest, ignored) => {
    const logger = createLog();
    const { client, requests } = createWorld(() => acceptedAnew(), { logger });
    const fields = { ...deciding, ...rest, ...Object.fromEntries(ignored.map((name) => [name, "secret"])) };
    const request = { model: "provider_a", task_type: "music", input: fields } as unknown as TaskRequest;
    await client.tasks.create(request);
    await client.tasks.create(request);
    expect(JSON.parse(requests[0]?.body ?? "").input).toEqual(fields);
    const expected = ignored.map((name) => `The service ignores \`input.${name}\` ${what}.`);
    expect(shortened(logger).sort()).toEqual(expected.sort());
  });
});

describe("without a logger, warnings about `input`", () => {
  const written: unknown[][] = [];
  beforeEach(() => {
    written.length = 0;
    vi.spyOn(console, "warn").mockImplementation((...parts) => void written.push(parts));
  });
  afterEach(() => vi.restoreAllMocks());

  test("are written by `console.warn`, once for each field of a client", async () => {
    const { client } = createWorld(() => acceptedAnew());
    await client.tasks.create(input({ titel: "x", tags: "y" }));
    await client.tasks.create(input({ titel: "z", tags: "y" }));
    expect(written).toEqual([
      ["async-music: Unknown field `input.titel`, which the service ignores. Did you mean `title`?"],
      ["async-music: The service ignores `input.tags` with `gpt_description_prompt`."],
    ]);
  });

  test.each<[when: string, options: Omit<ClientOptions, "clock">]>([
    ["at the level error", { logLevel: "error" }],
    ["at the level off", { logLevel: "off" }],
    ["if they are logged", { logger: createLog() }],
  ])("are not written %s", async (_, options) => {
    const { client } = createWorld(() => acceptedAnew(), options);
    await client.tasks.create(input({ titel: "x" }));
    expect(written).toEqual([]);
  });

  test("do not fail the create if `console.warn` throws", async () => {
    vi.mocked(console.warn).mockImplementation(() => {
      throw new Error("a closed stream");
    });
    const { client } = createWorld(() => acceptedAnew());
    await client.tasks.create(input({ titel: "x" }));
  });

  test("are the only lines: a retry and a pause are reported to a logger alone", async () => {
    const { client } = createWorld(inTurn(limited(1), acceptedAnew()));
    await client.tasks.create(input({}));
    expect(written).toEqual([]);
  });
});

test("the refusal of a missing field does not contain the key, also if a field's name does", async () => {
  const { client } = createWorld(() => accepted(), { apiKey: "promptkey" });
  const request = { model: "provider_b", task_type: "music", input: { promptkey: "x" } };
  const error = await rejection(client.tasks.create(request as unknown as TaskRequest), InvalidRequestError);
  expect(error.message).toContain("`input.prompt` is missing");
  expect(JSON.stringify([error.message, error.issues])).not.toContain("promptkey");
});

describe("a base URL without encryption", () => {
  const warningsOf = (baseUrl: string, options: ClientOptions = {}) => {
    const logger = createLog();
    new AsyncMusic({ apiKey: API_KEY, baseUrl, logger, ...options });
    return shortened(logger);
  };

  test.each([
    "http://music.example",
    "HTTP://music.example:8080/a",
    "http://8.8.8.8",
    "http://[2606:4700::1111]",
  ])("%s: one warning", (baseUrl) => {
    expect(warningsOf(baseUrl)).toEqual([
      expect.stringMatching(/^The connection to http:.* is not encrypted: .* Use https\.$/),
    ]);
  });

  test.each([
    "https://music.example",
    "http://localhost:4010",
    "http://127.0.0.1:4010",
    "http://[::1]:4010",
    "http://10.1.2.3",
    "http://192.168.1.5",
    "http://172.17.0.2",
    "http://100.64.0.1",
    "http://[fd00::1]",
    "http://music.local",
    "http://music.internal",
    "http://music:4010",
  ])("%s: no warning", (baseUrl) => {
    expect(warningsOf(baseUrl)).toEqual([]);
  });

  test("is not logged at the level error", () => {
    expect(warningsOf("http://music.example", { logLevel: "error" })).toEqual([]);
  });
});

import {
  AsyncMusic,
  type ClientOptions,
  InvalidOptionError,
  memoryJournal,
  type RequestOptions,
  type RunOptions,
} from "async-music";
import { describe, expect, test } from "vitest";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  balance,
  OTHER_TASK_ID,
  ok,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  taskIdIn,
} from "../support/responses.js";
import { API_KEY, BASE_URL, createWorld } from "../support/world.js";

const MISSPELLED: [given: string, meant: string][] = [
  ["maxRetrys", "maxRetries"],
  ["retries", "maxRetries"],
  ["timeout", "timeoutMs"],
  ["timeoutms", "timeoutMs"],
];

test.each([
  ...MISSPELLED,
  ["baseURL", "baseUrl"],
  ["apikey", "apiKey"],
  ["api_key", "apiKey"],
  ["validateRequest", "validateRequests"],
])("a client refuses `%s`, and suggests `%s`", (given, meant) => {
  const options = { apiKey: API_KEY, baseUrl: BASE_URL, [given]: 1 } as ClientOptions;
  expect(() => new AsyncMusic(options)).toThrow(
    new InvalidOptionError(given, `Unknown option \`${given}\`. Did you mean \`${meant}\`?`),
  );
});

describe.each([...MISSPELLED, ["signals", "signal"], ["requestID", "requestId"]])("`%s`", (given, meant) => {
  test("is refused by every call before anything is sent, with the name that was meant", async () => {
    const { client, requests } = createWorld(() => balance());
    const options = { [given]: 1 };
    const calls = [
      client.account.balance(options),
      client.account.usage(options),
      client.tasks.create(SONG_REQUEST, options),
      client.tasks.retrieve(TASK_ID, options),
      client.tasks.wait(TASK_ID, options),
      client.tasks.run(SONG_REQUEST, options),
      client.audio.download("https://audio.example/1", options),
    ];
    for (const call of calls) {
      const error = await rejection(call, InvalidOptionError);
      expect(error).toMatchObject({ option: given, message: expect.stringContaining(`\`${meant}\``) });
    }
    expect(() => client.tasks.watch(TASK_ID, options)).toThrow(InvalidOptionError);
    expect(requests).toEqual([]);
  });
});

test.each([
  ["journal", { journal: memoryJournal() }, "journalKey"],
  ["journalKey", { journalKey: "order-1" }, "journal"],
  ["probe", { probe: true }, "probe"],
])(
  "a create with `%s` alone is refused, since it would prevent no duplicate",
  async (_, options, missing) => {
    const { client, requests } = createWorld(() => accepted());
    const created: Promise<unknown> = client.tasks.create(SONG_REQUEST, options as never);
    expect(await rejection(created, InvalidOptionError)).toMatchObject({ option: missing });
    expect(requests).toEqual([]);
  },
);

test.each(["maxWait", "pollInterval", "onupdate"])("a wait refuses `%s`", async (given) => {
  const { client } = createWorld(() => ok(succeeded()));
  await rejection(client.tasks.wait(TASK_ID, { [given]: 1 }), InvalidOptionError);
});

test.each([
  ["onProgress", "`runAll`"],
  ["maxCredits", "`runAll`"],
  ["maxBytes", "`audio.download`"],
  ["logLevel", "`new AsyncMusic`"],
  ["retryBudgetMs", "`new AsyncMusic`"],
])("a run refuses `%s`, and says that it is an option of %s", async (given, place) => {
  const { client, requests } = createWorld(() => accepted());
  const error = await rejection(client.tasks.run(SONG_REQUEST, { [given]: 1 }), InvalidOptionError);
  expect(error).toMatchObject({
    option: given,
    message: `\`${given}\` is not an option here. Pass it to ${place}.`,
  });
  expect(requests).toEqual([]);
});

test.each([
  ["onUpdate", "the calls that wait"],
  ["journalKey", "`run`, `runAll` or `create`"],
  ["requestId", "each call"],
])("a client refuses `%s`, and says that it is an option of %s", (given, place) => {
  const options = { apiKey: API_KEY, baseUrl: BASE_URL, [given]: 1 } as ClientOptions;
  expect(() => new AsyncMusic(options)).toThrow(`\`${given}\` is not an option here. Pass it to ${place}.`);
});

test("a misspelled log level is shown, and a level that may be a key is not", () => {
  const refused = (logLevel: string) => () => createWorld(() => balance(), { logLevel: logLevel as "warn" });
  expect(refused("warning")).toThrow('got "warning".');
  expect(refused("key_of_another")).toThrow("got a string of length 14.");
  const secret = () => createWorld(() => balance(), { apiKey: "warns", logLevel: Object("warns") });
  expect(secret).toThrow(InvalidOptionError);
  expect(secret).not.toThrow('"warns"');
});

test("a name that is similar to an option and contains the key is not shown", async () => {
  const apiKey = "my-timeout-ms";
  const { client } = createWorld(() => balance(), { apiKey });
  const reading = client.account.balance({ [apiKey]: 1 } as RequestOptions);
  const error = await rejection(reading, InvalidOptionError);
  expect(error.message).not.toContain(apiKey);
  const options = { apiKey, baseUrl: BASE_URL, [apiKey]: 1 } as ClientOptions;
  const create = () => new AsyncMusic(options);
  expect(create).toThrow(InvalidOptionError);
  expect(create).not.toThrow(apiKey);
});

test("an unknown name is refused with the list of options, and not shown, since it may be the key", async () => {
  const { client } = createWorld(() => balance());
  const reading = client.account.balance({ [API_KEY]: 1 } as RequestOptions);
  const error = await rejection(reading, InvalidOptionError);
  expect(error.message).toContain("signal, timeoutMs, maxRetries, requestId, headers");
  expect(JSON.stringify(error)).not.toContain(API_KEY);
});

test.each([null, 7, "fast"])("options of %j are refused", async (options) => {
  const { client } = createWorld(() => balance());
  await rejection(client.account.balance(options as never), InvalidOptionError);
  await rejection(client.tasks.wait(TASK_ID, options as never), InvalidOptionError);
  expect(() => new AsyncMusic(options as never)).toThrow(InvalidOptionError);
});

test("options that are undefined are left out, known or not", async () => {
  const { client } = createWorld(() => balance());
  const options = { signal: undefined, timeoutMs: undefined, headers: undefined, later: undefined };
  await expect(client.account.balance(options)).resolves.toMatchObject({ total: 100 });
});

test("one object of options serves a create, a wait and a run", async () => {
  const submissions = [OTHER_TASK_ID, TASK_ID].map((task_id) => submission({ task_id }));
  const { client } = createWorld(({ method, path }, index) =>
    method === "POST"
      ? accepted(index === 0 ? submissions[0] : submissions[1])
      : ok(succeeded({ task_id: taskIdIn({ path }) })),
  );
  const options: RunOptions = {
    signal: new AbortController().signal,
    timeoutMs: 5000,
    pollIntervalMs: 2000,
    maxWaitMs: 60_000,
    onUpdate: () => {},
    onSubmitted: () => {},
  };
  await expect(client.tasks.create(SONG_REQUEST, options)).resolves.toEqual(submissions[0]);
  await expect(client.tasks.wait(TASK_ID, options)).resolves.toEqual(succeeded());
  await expect(client.tasks.run(SONG_REQUEST, options)).resolves.toEqual(succeeded());
  await expect(client.tasks.retrieve(TASK_ID, options)).resolves.toEqual(succeeded());
});

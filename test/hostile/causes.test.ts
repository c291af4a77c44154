import { inspect, types } from "node:util";
import {
  AsyncMusicError,
  AudioDownloadError,
  type Clock,
  ConnectionError,
  type Journal,
  memoryJournal,
  RateLimitedError,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/errors/redactor.js";
import { all } from "../support/collect.js";
import { expectNoKey } from "../support/leaks.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { accepted, limited, SONG_REQUEST, serve, TASK_ID } from "../support/responses.js";
import { turns } from "../support/test-clock.js";
import { watchUnhandledRejections } from "../support/unhandled.js";
import { API_KEY, clientOf, createWorld, never } from "../support/world.js";

// Errors of the application's own fetch, journal, clock, pacer, tracer and callbacks.

const redactor = createRedactor(API_KEY);

const AUDIO_URL = "https://audio.example/1";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const base64url = (text: string) => Buffer.from(text).toString("base64url");

/** Encodings of the key, alone and inside longer strings. */
function spellings(key: string): string[] {
  const percent = [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
  const twice = percent.replaceAll("%", "%25");
  const thrice = twice.replaceAll("%", "%25");
  const around = ["", "u", "me", "me:", "user:"].flatMap((before) =>
    ["", "!", "??", ":x-y"].flatMap((after) => [
      base64(before + key + after),
      base64url(before + key + after),
    ]),
  );
  return [key, key.toUpperCase(), percent, percent.toUpperCase(), twice, thrice, ...around];
}

test.each([API_KEY, "k>>>???~~~key", "Key+4f9a/1c77=", "sixers"])(
  "the key %s is redacted in base64, base64url and repeated percent-encoding, at any offset",
  (key) => {
    const { text, containsKey } = createRedactor(key);
    const core = (before: number, encode: (text: string) => string) =>
      encode("\0".repeat(before) + key).slice(
        Math.ceil((before * 8) / 6),
        Math.floor(((before + key.length) * 8) / 6),
      );
    const cores = [0, 1, 2].flatMap((before) => [core(before, base64), core(before, base64url)]);
    for (const spelling of spellings(key)) {
      const shown = text(`Basic ${spelling}, again ${encodeURIComponent(spelling)}.`);
      expect([spelling, [key, ...cores].filter((each) => shown.includes(each))]).toEqual([spelling, []]);
      expect([spelling, shown.split("[redacted]").length]).toEqual([spelling, 3]);
      expect(containsKey(spelling)).toBe(true);
    }
  },
);

test("a key with invisible characters between its own is redacted, and other text keeps such characters", () => {
  const hidden = [...API_KEY].join("\u200B");
  expect(redactor.text(`a ${hidden}\nb`)).toBe("a [redacted]b");
  expect(redactor.text(`${base64(API_KEY).slice(0, 9)}\r\n${base64(API_KEY).slice(9)}`)).not.toContain("5Xz");
  expect(redactor.text("first\nsecond\u200Bthird")).toBe("first\nsecond\u200Bthird");
  expect(redactor.data({ error: hidden })).toEqual({ error: "[redacted]" });
  expect(createRedactor("a1").text("a\n1 a\n1")).toBe("a\n1 a\n1");
});

/** Any change of the result throws. */
const frozen = <Value extends object>(value: Value): Value =>
  types.isProxy(value) ? value : Object.freeze(value);

class WithInspect extends Error {
  readonly #request = API_KEY;
  [inspect.custom]() {
    return this.#request;
  }
}

class WithJson extends Error {
  readonly #request = API_KEY;
  toJSON() {
    return { request: this.#request };
  }
}

class WithGetter extends Error {
  readonly #request = API_KEY;
  get request() {
    return this.#request;
  }
}

class WithMessage extends Error {
  override get message() {
    return `no ${API_KEY}`;
  }
}

/** Returns the key when it is read again. */
function changeable(): Error {
  let readings = 0;
  const get = () => (readings++ === 0 ? "no" : API_KEY);
  return Object.defineProperty(new Error("no"), "detail", { get, enumerable: true });
}

const withFields = (fields: object) => Object.assign(new Error("no"), fields);

const throwing = () => {
  throw new Error(API_KEY);
};

/** As a `fetch` that throws what it was called with. */
function withRequest(): Error {
  const { headers } = new Request("https://music.example", { headers: { "x-api-key": API_KEY } });
  const cause = Object.assign(new Error(`sent ${API_KEY}`), { headers: [...headers] });
  return Object.assign(new TypeError("fetch failed", { cause }), { options: { headers } });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable(new Error("no"), {});
  revoke();
  return proxy;
}

const HOSTILE: [what: string, make: () => object][] = [
  ["holds the request, also in its cause", withRequest],
  ["has its own inspect method", () => new WithInspect("no")],
  ["has its own toJSON method", () => new WithJson("no")],
  ["has a getter on its class", () => new WithGetter("no")],
  ["has its message on its class", () => new WithMessage()],
  ["changes when it is read again", changeable],
  ["holds the key in base64", () => new Error(`Authorization: Basic ${base64(`user:${API_KEY}`)}`)],
  ["holds a password in a URL", () => new Error("can't reach https://me:s3cret@cache.example")],
  ["has a symbol as a property name", () => withFields({ [Symbol(API_KEY)]: 1 })],
  ["holds a symbol", () => withFields({ token: Symbol(API_KEY) })],
  ["holds a list of a class", () => withFields({ list: class extends Array<string> {}.of(API_KEY) })],
  ["throws when it is read", () => new Proxy(new Error("no"), { ownKeys: throwing })],
  ["throws when its class is read", () => new Proxy(new Error("no"), { getPrototypeOf: throwing })],
  ["is a revoked proxy", revoked],
  ["throws when its message is read", () => Object.defineProperty(new Error(), "message", { get: throwing })],
  ["has a message that is an object", () => withFields({ message: { key: API_KEY } })],
  ["has a message that is a number", () => withFields({ message: 7, name: 7, list: [API_KEY] })],
  ["is a plain object", () => ({ request: { headers: { "x-api-key": API_KEY } } })],
  ["has no prototype", () => Object.assign(Object.create(null), { key: API_KEY })],
];

test.each(HOSTILE)("an error that %s is copied without the key, and not changed", (_, make) => {
  const error = frozen(make());
  const kept = redactor.cause(error);
  expect(Object.is(kept, error)).toBe(false);
  expectNoKey(kept, API_KEY);
  expectNoKey(kept, "s3cret");
  expectNoKey(kept, base64(API_KEY).slice(3, -3));
});

test("no getter of an error's own properties is called", () => {
  let calls = 0;
  const error = Object.defineProperty(new Error("no"), "detail", { get: () => calls++, enumerable: true });
  expect(redactor.cause(error)).toMatchObject({ message: "no" });
  expect(calls).toBe(0);
});

test("errors of the language and of simple classes are not copied", () => {
  class Simple extends TypeError {
    override name = "Simple";
    readonly code = "E_SIMPLE";
  }
  const looped = new Error("round");
  looped.cause = looped;
  for (const error of [
    new Error("no"),
    new Simple("no", { cause: new RangeError("no") }),
    new AggregateError([new Error("no")], "no"),
    new DOMException("no", "AbortError"),
    new AsyncMusicError("no"),
    Object.assign(new Error("no"), { list: [{ a: 1n }] }),
    looped,
  ]) {
    expect(redactor.cause(frozen(error))).toBe(error);
  }
});

test("an error with objects in shared layers is searched once", () => {
  const layerAbove = (objects: object[]) => Array.from({ length: 100 }, () => ({ ...objects }));
  let objects: object[] = [{}];
  for (let layer = 0; layer < 5; layer++) objects = layerAbove(objects);
  const error = Object.assign(new Error("no"), objects);
  expect(Object.is(redactor.cause(error), error)).toBe(true);
});

test.each(HOSTILE)(
  "a fetch, pacer, clock, journal or callback that throws an error that %s does not reveal the key",
  async (_, make) => {
    const toss = () => Promise.reject(frozen(make()));
    const clock: Clock = { now: () => 0, sleep: toss };
    const retrying = { maxRetries: 2, clock };
    const journal: Journal = { ...memoryJournal(), put: toss };
    const newTasks = () => createWorld(serve).client.tasks;
    const paced = createWorld(serve, { pacer: { ...createOwnPacer().pacer, admit: toss } }).client;
    const failures = [
      rejection(clientOf(toss).account.balance(), ConnectionError),
      rejection(clientOf(toss).tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError),
      rejection(clientOf(toss).audio.download(AUDIO_URL), AudioDownloadError),
      paced.account.balance(),
      paced.tasks.create(SONG_REQUEST),
      paced.tasks.wait(TASK_ID),
      clientOf(async () => limited(1), retrying).account.usage(),
      clientOf(async () => new Response("", { status: 503 }), retrying).audio.download(AUDIO_URL),
      newTasks().run(SONG_REQUEST, { journal, journalKey: "a" }),
      newTasks().run(SONG_REQUEST, { onSubmitted: toss }),
      newTasks().run(SONG_REQUEST, { onUpdate: toss }),
      all(newTasks().runAll([SONG_REQUEST], { onProgress: toss as () => void })),
    ];
    const errors = await Promise.all(
      failures.map((failure, index) => (index < 3 ? failure : reasonOf(failure))),
    );
    for (const [index, error] of errors.entries()) {
      expect([index, error instanceof Error]).toEqual([index, true]);
      for (const secret of [API_KEY, "s3cret", base64(API_KEY).slice(3, -3)]) expectNoKey(error, secret);
    }
    const journalKey = () => {
      throw frozen(make());
    };
    const [{ error } = { error: null }] = await all(
      newTasks().runAll([SONG_REQUEST], { journal: memoryJournal(), journalKey }),
    );
    expectNoKey(error, API_KEY);
  },
);

test.each(HOSTILE)(
  "an abort of a POST in flight with a reason that %s leaves the outcome unknown",
  async (_, make) => {
    const controller = new AbortController();
    const { client } = createWorld((seen) => {
      controller.abort(frozen(make()));
      return never(seen);
    });
    const created = client.tasks.create(SONG_REQUEST, { signal: controller.signal });
    expectNoKey(await rejection(created, SubmissionOutcomeUnknownError), API_KEY);
  },
);

test("an abort rejects with its own reason, even if that reveals the key", async () => {
  const controller = new AbortController();
  const reason = new WithInspect("left");
  const { client } = createWorld(() => limited(5));
  client.on("retry", () => controller.abort(reason));
  expect(await reasonOf(client.account.balance({ signal: controller.signal }))).toBe(reason);
});

test("a pacer's error without the key is not copied", async () => {
  const thrown = new RangeError("no budget");
  const pacer = { ...createOwnPacer().pacer, admit: () => Promise.reject(thrown) };
  expect(await reasonOf(createWorld(() => accepted(), { pacer }).client.account.balance())).toBe(thrown);
});

/** Records everything that a tracer receives. `run` calls the traced work. */
function createTracing(run: (work: () => unknown) => unknown = (work) => work()) {
  const received: unknown[] = [];
  const span = {
    setAttribute: (...given: unknown[]) => received.push(given),
    setStatus: (given: unknown) => received.push(given),
    recordException: (given: unknown) => received.push(given),
    end() {},
  };
  const tracer = {
    startActiveSpan<Work extends (its: typeof span) => unknown>(name: string, options: object, work: Work) {
      received.push(name, options);
      return run(() => work(span)) as ReturnType<Work>;
    },
  };
  return { received, span, tracer };
}

test("a span does not show a key that is in a request's model or in the name of an error", async () => {
  const { received, tracer } = createTracing();
  const toss = () => Promise.reject(Object.assign(new Error("no"), { name: API_KEY }));
  const pacer = { ...createOwnPacer().pacer, admit: toss };
  const { client } = createWorld(() => accepted(), { tracer, pacer, validateRequests: false });
  await reasonOf(client.tasks.create({ ...SONG_REQUEST, model: API_KEY, task_type: API_KEY } as never));
  expect(received.length).toBeGreaterThan(3);
  expectNoKey(received, API_KEY);
});

test("a span has only the name of an abort's reason, without the key", async () => {
  const { received, tracer } = createTracing();
  const reason = Object.assign(new Error(`left ${API_KEY}`), { name: `Left ${API_KEY}` });
  const { client } = createWorld(() => accepted(), { tracer });
  const read = client.account.balance({ signal: AbortSignal.abort(reason) });
  expect(await reasonOf(read)).toBe(reason);
  expect(received).toContainEqual(["error.type", "Left [redacted]"]);
  expect(received).toContainEqual({ code: 2 });
  expectNoKey(received, API_KEY);
});

test("a tracer that drops the traced promise and throws leaves no unhandled rejection", async () => {
  const unhandled = watchUnhandledRejections();
  const { span, tracer } = createTracing((work) => void work());
  span.setStatus = () => {
    throw new Error("the exporter is full");
  };
  const { client } = createWorld(() => limited(1), { tracer, maxRetries: 0 });
  await rejection(client.account.balance(), RateLimitedError);
  await turns(2);
  expect(unhandled).not.toHaveBeenCalled();
});

test.each([
  "https://me:s3cret@audio.example/1",
  'https://me:s3 cr"et@audio.example/1?s3cret',
  "https://s3cret@audio.example/1",
])("a download from %s shows no password in its error, its causes and its events", async (url) => {
  const { client } = createWorld(() => Promise.reject(new TypeError(`can't fetch ${new URL(url).href}`)), {
    maxRetries: 0,
  });
  const events: unknown[] = [];
  for (const name of ["attempt", "response"] as const) client.on(name, (event) => events.push(event));
  const error = await rejection(client.audio.download(url), AudioDownloadError);
  expect(error.url).toMatch(/^https:\/\/audio\.example\/1/);
  for (const secret of ["s3cret@", "me:s3", "s3%20cr"]) {
    expectNoKey(error, secret);
    expectNoKey(events, secret);
  }
});

test.each<[what: string, cause: unknown]>([
  ["a string", `sent ${API_KEY}`],
  ["an object", { headers: { "x-api-key": API_KEY } }],
  ["a list", [API_KEY]],
  ["a function", Object.assign(() => API_KEY, { key: API_KEY })],
  ["a symbol", Symbol(API_KEY)],
  ["an Error", new Error(API_KEY)],
  ["an AggregateError", new AggregateError([API_KEY, new Error(API_KEY)])],
])("%s as the cause of an error of the application's fetch does not show the key", async (_, cause) => {
  for (const thrown of [
    cause,
    new Error("broken", { cause }),
    new Error("a", { cause: new Error("b", { cause }) }),
  ]) {
    const { client } = createWorld(() => Promise.reject(thrown), { maxRetries: 0 });
    for (const call of [client.account.balance(), client.tasks.create(SONG_REQUEST)]) {
      const error = await reasonOf(call);
      expect(error).toBeInstanceOf(AsyncMusicError);
      expectNoKey(error, API_KEY);
    }
  }
});

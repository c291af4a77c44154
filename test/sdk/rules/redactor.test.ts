import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/errors/redactor.js";

const KEY = "key_$&$1.*[0-9]+";
const redactor = createRedactor(KEY);

const ENCODED = encodeURIComponent(KEY);

test.each<[key: string, text: string, shown: string]>([
  [KEY, `${KEY} and a${KEY}${KEY}b`, "[redacted] and a[redacted][redacted]b"],
  [KEY, "key_ alone is no secret", "key_ alone is no secret"],
  [KEY, `a ${ENCODED} b ${ENCODED.toLowerCase()}`, "a [redacted] b [redacted]"],
  [KEY, `c ${KEY.toUpperCase()}`, "c [redacted]"],
  [KEY, KEY.replace("$", "%24"), "[redacted]"],
  // A short key is redacted only as a separate word, not inside words and ids.
  ["a1", "key a1, A1: %61%31;", "key [redacted], [redacted]: [redacted];"],
  ["a1", "a12 ba1 a1_b 4ca1-11", "a12 ba1 a1_b 4ca1-11"],
  ["fiver", "afiverb", "afiverb"],
  ["sixers", "asixersb", "a[redacted]b"],
  ["key\t12", "<key\t12> <key%0912>", "<[redacted]> <[redacted]>"],
  ["", "a, b: {}", "a, b: {}"],
  ["redacted", "a redacted b", "a [[redacted]] b"],
])("with the key %j the string %j is redacted to %j", (key, text, shown) => {
  expect(createRedactor(key).text(text)).toBe(shown);
});

test.each([
  [KEY, KEY, true],
  [KEY, `${KEY}!`, true],
  [KEY, "other", false],
  ["fiver", "fiver", true],
  ["fiver", "a fiver", false],
  ["sixers", "sixers", true],
])("with the key %j `containsKey(%j)` is %j", (key, text, containsKey) => {
  expect(createRedactor(key).containsKey(text)).toBe(containsKey);
});

test("the key is redacted in header names", () => {
  const named = createRedactor("Key_4f9a");
  expect([...named.headers(new Headers({ Key_4f9a: "x", "X-Key_4f9a": "y", Other: "z" }))]).toEqual([
    ["other", "z"],
    ["redacted", "x, y"],
  ]);
});

test("the key is redacted in the strings and the field names of data", () => {
  const data = { list: [{ other: 1, [KEY]: 2 }, `${KEY}!`], kept: { deep: true } };
  const shown = { list: [{ other: 1, "[redacted]": 2 }, "[redacted]!"], kept: { deep: true } };
  expect(redactor.data(data)).toEqual(shown);
});

test("the key is redacted in header values, and other headers are unchanged", () => {
  const headers = redactor.headers(new Headers({ "X-Echo": `<${KEY}>`, "X-Other": "kept" }));
  expect([...headers]).toEqual([
    ["x-echo", "<[redacted]>"],
    ["x-other", "kept"],
  ]);
});

test("an error without the key is returned unchanged, with its cause", () => {
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED", port: 80 });
  const error = new TypeError("fetch failed", { cause });
  expect(redactor.cause(error)).toBe(error);
});

const errorWith = (properties: object) => Object.assign(new Error("no"), properties);

test.each<[where: string, error: unknown]>([
  ["the message", new Error(`no ${KEY}`)],
  ["the name", errorWith({ name: KEY })],
  ["the stack", errorWith({ stack: `at ${KEY}` })],
  ["a property", errorWith({ sent: { headers: [{ value: KEY }] } })],
  ["the name of a property", errorWith({ sent: { [KEY]: true } })],
  ["a property that is not enumerable", Object.defineProperty(new Error("no"), "sent", { value: KEY })],
  ["a property under a symbol", errorWith({ [Symbol("sent")]: KEY })],
  ["the request", errorWith({ request: new Request("https://a.example", { headers: { k: KEY } }) })],
  ["a URL", errorWith({ url: new URL(`https://a.example/?k=${ENCODED}&l=${KEY}`) })],
  ["a map", errorWith({ sent: new Map([["k", KEY]]) })],
  ["an array", errorWith({ sent: [[[KEY]]] })],
  ["the cause", new Error("no", { cause: new Error(KEY) })],
  ["the causes of an aggregate", new AggregateError([new Error(KEY)], "no")],
  ["a deeply nested value", errorWith({ a: { b: { c: { d: { e: { f: { g: KEY } } } } } } })],
  ["a thrown string", `no ${KEY}`],
  ["a thrown object", { sent: KEY }],
])("a redacted cause does not contain the key from %s", (_, error) => {
  const shown = inspect(redactor.cause(error), { depth: 20, showHidden: true });
  expect(shown).not.toContain(KEY);
});

test("a redacted cause keeps the name, the code and the rest of the message", () => {
  const error = Object.assign(new TypeError(`no ${KEY}`), { code: "ECONNRESET" });
  const copy = redactor.cause(error);
  expect(copy).toBeInstanceOf(Error);
  expect(copy).toMatchObject({ name: "TypeError", message: "no [redacted]", code: "ECONNRESET" });
});

test("redacting an error that is its own cause does not hang", () => {
  const plain = new Error("round");
  plain.cause = plain;
  const leaking = new Error(KEY);
  leaking.cause = new Error("and round", { cause: leaking });
  expect(inspect(redactor.cause(plain), { depth: 20, showHidden: true })).not.toContain(KEY);
  expect(inspect(redactor.cause(leaking), { depth: 20, showHidden: true })).not.toContain(KEY);
});

test("a reason that is not an error is returned unchanged, without the key", () => {
  const reason = { why: "the user left" };
  expect(redactor.cause(reason)).toBe(reason);
  expect(redactor.cause(42)).toBe(42);
  expect(redactor.cause(`no ${KEY}`)).toBe("no [redacted]");
});

test("data without the key is returned unchanged, with or without a prototype", () => {
  const bare = Object.assign(Object.create(null), { a: 1 });
  for (const data of [{ a: [1, null, "b"] }, bare, null, 7]) expect(redactor.data(data)).toBe(data);
  const task = { task_id: "5ba1", task_type: "a1_" };
  expect(createRedactor("a1").data(task)).toBe(task);
});

test("functions are removed from errors, since they can contain the key", () => {
  const error = Object.assign(new Error("no"), { retry: () => KEY });
  expect(redactor.cause(error)).toMatchObject({ message: "no" });
  expect(redactor.cause(error)).not.toHaveProperty("retry");
});

test("the key is redacted in an inherited or computed `message` and `stack`", () => {
  const stacked = new Error("no");
  delete stacked.stack;
  Object.setPrototypeOf(stacked, { ...Error.prototype, stack: `at ${KEY}`, __proto__: Error.prototype });
  const worded = new Error("no");
  for (const name of ["message", "stack"]) Reflect.deleteProperty(worded, name);
  Object.setPrototypeOf(worded, { message: `no ${KEY}`, __proto__: Error.prototype });
  for (const error of [new DOMException(`no ${KEY}`, "AbortError"), stacked, worded]) {
    const copy = redactor.cause(error);
    expect(copy).not.toBe(error);
    expect(String(Reflect.get(Object(copy), "stack"))).not.toContain(KEY);
    expect(String(copy)).not.toContain(KEY);
  }
});

test("a redacted cause keeps its own cause, and its stack is only its message", () => {
  const cause = Object.assign(new Error(`reset by ${KEY}`), { code: "ECONNRESET" });
  expect(redactor.cause(new TypeError(`no ${KEY}`, { cause }))).toMatchObject({
    stack: "TypeError: no [redacted]",
    cause: { message: "reset by [redacted]", code: "ECONNRESET" },
  });
});

/** An error with this many nested causes; the innermost has the message. */
const nested = (levels: number, message: string): Error =>
  levels === 0 ? new Error(message) : new Error("outer", { cause: nested(levels - 1, message) });

const causesOf = (value: unknown): unknown[] =>
  value instanceof Error ? [value.message, ...causesOf(value.cause)] : [];

test("errors are searched six causes deep, and deeper ones that may contain the key are removed", () => {
  const [six, seven] = [nested(6, "no"), nested(7, "no")];
  expect(redactor.cause(six)).toBe(six);
  expect(redactor.cause(seven)).not.toBe(seven);
  expect(causesOf(redactor.cause(nested(5, KEY)))).toHaveLength(6);
  expect(causesOf(redactor.cause(nested(6, KEY)))).toHaveLength(6);
  expect(causesOf(redactor.cause(nested(9, "no")))).toHaveLength(9 + 1);
});

import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/http/redactor.js";

const KEY = "key_$&$1.*[0-9]+";
const redactor = createRedactor(KEY);

test("every occurrence of the key goes from a text, whatever characters it is made of", () => {
  expect(redactor.text(`${KEY} and a${KEY}${KEY}b`)).toBe("[redacted] and a[redacted][redacted]b");
  expect(redactor.text("key_ alone is no secret")).toBe("key_ alone is no secret");
});

test("a key goes however a server spells it: in another case, or with characters that are percent-encoded", () => {
  const encoded = encodeURIComponent(KEY);
  expect(redactor.text(`a ${encoded} b ${encoded.toLowerCase()} c ${KEY.toUpperCase()}`)).toBe(
    "a [redacted] b [redacted] c [redacted]",
  );
  expect(redactor.text(KEY.replace("$", "%24"))).toBe("[redacted]");
});

test("a key of a few letters goes where it is a word of its own, and stays in words and ids", () => {
  const short = createRedactor("a1");
  expect(short.text("key a1, A1: %61%31; a12 ba1 a1_b 4ca1-11")).toBe(
    "key [redacted], [redacted]: [redacted]; a12 ba1 a1_b 4ca1-11",
  );
  const task = { task_id: "5ba1", task_type: "a1_" };
  expect(short.data(task)).toBe(task);
});

test("a header that is named after the key loses its name", () => {
  const named = createRedactor("Key_4f9a");
  expect([...named.headers(new Headers({ Key_4f9a: "x", "X-Key_4f9a": "y", Other: "z" }))]).toEqual([
    ["other", "z"],
    ["redacted", "x, y"],
  ]);
});

test("data loses the key in its texts and in the names of its fields", () => {
  const data = { list: [{ [KEY]: 1 }, `${KEY}!`], kept: { deep: true } };
  expect(redactor.data(data)).toEqual({ list: [{ "[redacted]": 1 }, "[redacted]!"], kept: { deep: true } });
});

test("headers lose the key and keep everything else", () => {
  const headers = redactor.headers(new Headers({ "X-Echo": `<${KEY}>`, "X-Other": "kept" }));
  expect([...headers]).toEqual([
    ["x-echo", "<[redacted]>"],
    ["x-other", "kept"],
  ]);
});

test("an error that can't hold the key stays itself, with its cause", () => {
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED", port: 80 });
  const error = new TypeError("fetch failed", { cause });
  expect(redactor.cause(error)).toBe(error);
});

test.each<[where: string, error: unknown]>([
  ["the message", new Error(`no ${KEY}`)],
  ["the name", Object.assign(new Error("no"), { name: KEY })],
  ["the stack", Object.assign(new Error("no"), { stack: `at ${KEY}` })],
  ["a property", Object.assign(new Error("no"), { sent: { headers: [{ value: KEY }] } })],
  ["the name of a property", Object.assign(new Error("no"), { sent: { [KEY]: true } })],
  ["a property that is not listed", Object.defineProperty(new Error("no"), "sent", { value: KEY })],
  ["a property under a symbol", Object.assign(new Error("no"), { [Symbol("sent")]: KEY })],
  [
    "the request",
    Object.assign(new Error("no"), { request: new Request("https://a.example", { headers: { k: KEY } }) }),
  ],
  [
    "an address",
    Object.assign(new Error("no"), {
      url: new URL(`https://a.example/?k=${encodeURIComponent(KEY)}&l=${KEY}`),
    }),
  ],
  ["a map", Object.assign(new Error("no"), { sent: new Map([["k", KEY]]) })],
  ["an array", Object.assign(new Error("no"), { sent: [[[KEY]]] })],
  ["the cause", new Error("no", { cause: new Error(KEY) })],
  ["the causes of an aggregate", new AggregateError([new Error(KEY)], "no")],
  [
    "a value deep below",
    Object.assign(new Error("no"), { a: { b: { c: { d: { e: { f: { g: KEY } } } } } } }),
  ],
  ["what is thrown and is a text", `no ${KEY}`],
  ["what is thrown and is an object", { sent: KEY }],
])("no cause shows the key that stands in %s", (_, error) => {
  const shown = inspect(redactor.cause(error), { depth: 20, showHidden: true });
  expect(shown).not.toContain(KEY);
});

test("a copied cause still says what happened", () => {
  const error = Object.assign(new TypeError(`no ${KEY}`), { code: "ECONNRESET" });
  const copy = redactor.cause(error);
  expect(copy).toBeInstanceOf(Error);
  expect(copy).toMatchObject({ name: "TypeError", message: "no [redacted]", code: "ECONNRESET" });
});

test("an error that is its own cause is taken as it is, and does not hang", () => {
  const plain = new Error("round");
  plain.cause = plain;
  const leaking = new Error(KEY);
  leaking.cause = new Error("and round", { cause: leaking });
  expect(inspect(redactor.cause(plain), { depth: 20, showHidden: true })).not.toContain(KEY);
  expect(inspect(redactor.cause(leaking), { depth: 20, showHidden: true })).not.toContain(KEY);
});

test("a caller's own reason that is no error stays what it is", () => {
  const reason = { why: "the user left" };
  expect(redactor.cause(reason)).toBe(reason);
  expect(redactor.cause(42)).toBe(42);
});

test("a client without a key has nothing to take out", () => {
  expect(createRedactor("").text("a, b: {}")).toBe("a, b: {}");
});

test("every character of a key goes, also one whose code is a single digit", () => {
  expect(createRedactor("key\t12").text("<key\t12> <key%0912>")).toBe("<[redacted]> <[redacted]>");
});

test("a text gives the key away if it is the key, or contains it", () => {
  const redactor = createRedactor(KEY);
  expect([KEY, `${KEY}!`, "other"].map(redactor.isGivenAway)).toEqual([true, true, false]);
});

test("a key of six letters goes from within words, and one of five stays there, where it is by chance", () => {
  const [five, six] = [createRedactor("fiver"), createRedactor("sixers")];
  expect([five.text("afiverb"), six.text("asixersb")]).toEqual(["afiverb", "a[redacted]b"]);
  expect(["fiver", "a fiver"].map(five.isGivenAway)).toEqual([true, false]);
  expect(six.isGivenAway("sixers")).toBe(true);
});

test("data that holds no key stays itself, with or without a prototype", () => {
  for (const data of [{ a: [1, null, "b"] }, Object.assign(Object.create(null), { a: 1 }), null, 7]) {
    expect(redactor.data(data)).toBe(data);
  }
});

test("data loses the key in one name beside others", () => {
  expect(redactor.data({ sent: { other: 1, [KEY]: 2 } })).toEqual({ sent: { other: 1, "[redacted]": 2 } });
});

test("a text that was thrown stays one, without the key", () => {
  expect(redactor.cause(`no ${KEY}`)).toBe("no [redacted]");
});

test("what may hide the key in a function is not kept", () => {
  const error = Object.assign(new Error("no"), { retry: () => KEY });
  expect(redactor.cause(error)).toMatchObject({ message: "no" });
  expect(redactor.cause(error)).not.toHaveProperty("retry");
});

test("an error whose class makes its message or its stack shows no key in them", () => {
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

test("a copied cause keeps its own cause, and has no stack but its message", () => {
  const cause = Object.assign(new Error(`reset by ${KEY}`), { code: "ECONNRESET" });
  expect(redactor.cause(new TypeError(`no ${KEY}`, { cause }))).toMatchObject({
    stack: "TypeError: no [redacted]",
    cause: { message: "reset by [redacted]", code: "ECONNRESET" },
  });
});

/** An error in an error, and so on; the innermost stands that many levels below the outermost. */
const nested = (levels: number, message: string): Error =>
  levels === 0 ? new Error(message) : new Error("outer", { cause: nested(levels - 1, message) });

const causesOf = (value: unknown): unknown[] =>
  value instanceof Error ? [value.message, ...causesOf(value.cause)] : [];

test("errors are looked at six levels deep; what lies below is not kept", () => {
  const [six, seven] = [nested(6, "no"), nested(7, "no")];
  expect(redactor.cause(six)).toBe(six);
  expect(redactor.cause(seven)).not.toBe(seven);
  expect(causesOf(redactor.cause(nested(5, KEY)))).toHaveLength(6);
  expect(causesOf(redactor.cause(nested(6, KEY)))).toHaveLength(6);
  expect(causesOf(redactor.cause(nested(9, "no")))).toHaveLength(9 + 1);
});

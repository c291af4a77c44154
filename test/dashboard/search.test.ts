import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { param, setParam } from "../../emulator/dashboard/address.js";
import type { ExchangeRow } from "../../emulator/dashboard/api.js";
import { findings, overview } from "../../emulator/dashboard/store.js";
import {
  chips,
  chipText,
  format,
  found,
  parse,
  type,
} from "../../emulator/dashboard/views/requests/search.js";

beforeEach(() => {
  const location = { hash: "" };
  const replaceState = (_state: null, _title: string, address: string) => {
    location.hash = address;
  };
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", { replaceState });
});
afterEach(() => {
  for (const name of ["q", "text"]) setParam(name, "");
  findings.value = [];
  overview.value = null;
  vi.unstubAllGlobals();
});

const row = (fields: Partial<ExchangeRow>) =>
  ({
    number: 1,
    at: "2026-01-01T00:00:00.000Z",
    request_id: "shared",
    method: "GET",
    path: "/api/v1/account/balance",
    status: 200,
    error_code: null,
    message: null,
    account_id: "account-1",
    key_id: "key-1",
    task_id: null,
    ...fields,
  }) as ExchangeRow;

const LOG: Record<string, ExchangeRow> = {
  read: row({}),
  created: row({ number: 2, method: "POST", path: "/api/v1/task", status: 202, task_id: "7F1C-task" }),
  refused: row({ method: "POST", status: 400, error_code: "invalid_json", key_id: "key-2" }),
  limited: row({ status: 429, error_code: "rate_limited", request_id: "hasty" }),
  broken: row({ status: 502, account_id: "account-2", message: "Bad gateway" }),
  lost: row({ status: null, method: "POST" }),
  moved: row({ status: 302, account_id: "UPPER-CASE" }),
  kept: row({ status: 304 }),
  cut: row({ ended: "broken_response" }),
  malformed: row({ fault: { kind: "malformed" } }),
  unknown: row({ path: "/api/v1/task/0F9A1111-0000-4000-8000-000000000000", status: 404 }),
  other: row({ method: "DELETE", status: 405, at: "2026-01-01T00:00:01.000Z" }),
};

const BODIES = { "night tram": new Set([2]) };

function shownOf(text: string): string[] {
  setParam("q", text);
  const rows = found(Object.values(LOG), BODIES);
  return Object.keys(LOG).filter((each) => rows.includes(LOG[each] as ExchangeRow));
}

test.each<[search: string, shown: string[]]>([
  ["", Object.keys(LOG)],
  ["status:2xx", ["read", "created", "cut", "malformed"]],
  ["status:3xx", ["moved", "kept"]],
  ["status:4xx", ["refused", "limited", "unknown", "other"]],
  ["status:429", ["limited"]],
  ["status:5xx", ["broken"]],
  ["status:none", ["lost"]],
  ["status:failed", ["refused", "broken", "lost", "moved", "cut", "malformed", "unknown", "other"]],
  ["status:429 status:502", ["limited", "broken"]],
  ["method:get", ["read", "limited", "broken", "moved", "kept", "cut", "malformed", "unknown"]],
  ["method:POST status:4xx", ["refused"]],
  ["account:ACCOUNT-2", ["broken"]],
  ["account:upper-case", ["moved"]],
  ["key:key-2", ["refused"]],
  ["key:KEY-1", Object.keys(LOG).filter((each) => each !== "refused")],
  ["hasty status:429", ["limited"]],
  ["hasty status:502", []],
  ["task:7f1c", ["created"]],
  ["task:0f9a1111", ["unknown"]],
  ["task:nothing", []],
  ["code:INVALID", ["refused"]],
  ["path:/task", ["created", "unknown"]],
  ['body:"night tram"', ["created"]],
  ["body:tram", []],
  ["time:2026-01-01T00:00:00.500Z..2026-01-01T00:00:02.000Z", ["other"]],
  ["time:2026-01-01", Object.keys(LOG)],
  ["time:2025-12-31..2026-01-01", Object.keys(LOG)],
  ["time:2026-01-02", []],
  ["time:2026-01-01T00:00:01", ["other"]],
  ["Status:4XX METHOD:delete", ["other"]],
  ["status:", Object.keys(LOG)],
])("the search `%s` shows the requests that match it, and no other", (search, shown) => {
  expect(shownOf(search)).toEqual(shown);
});

test.each<[words: string, shown: string[]]>([
  ["INVALID", ["refused"]],
  ["hasty", ["limited"]],
  ["bad gateway", ["broken"]],
  ["nothing:known", []],
])("the words `%s` are searched in paths, IDs, codes and messages", (words, shown) => {
  setParam("text", words);
  expect(shownOf("")).toEqual(shown);
});

test("only the request of a finding is shown with it, also if others have the same request ID", () => {
  const { at, request_id } = LOG["other"] as ExchangeRow;
  findings.value = [{ rule: "polled_too_often", at, request_id, detail: "" }];
  expect(shownOf("rule:any")).toEqual(["other"]);
  expect(shownOf("rule:polled_too_often")).toEqual(["other"]);
  expect(shownOf("rule:ignored_retry_after")).toEqual([]);
});

test("an account is named by its position too, also if the ID of another one begins with it", () => {
  overview.value = {
    accounts: [
      { account_id: "account-1", keys: [] },
      { account_id: "account-2", keys: [] },
    ],
  } as never;
  expect(shownOf("account:2")).toEqual(["broken"]);
  const begins = row({ account_id: "2-account" });
  setParam("q", "account:2");
  expect(found([begins], {})).toEqual([]);
  setParam("q", "account:2-");
  expect(found([begins], {})).toEqual([begins]);
});

test.each(["Customer_One", '"Customer One"', '"customer  one"', "customer_one_(…12ab)", "key-2"])(
  "the search `key:%s` shows the requests of the key with the name Customer One",
  (value) => {
    const keys = [
      { key_id: "key-1", name: "", last_four: "34cd" },
      { key_id: "key-2", name: "Customer One", last_four: "12ab" },
    ];
    overview.value = { accounts: [{ account_id: "account-1", keys }] } as never;
    expect(shownOf(`key:${value}`)).toEqual(["refused"]);
    expect(shownOf("key:Customer_Two")).toEqual([]);
  },
);

test("the name of a key stands for this key alone, also if the IDs of others begin with it", () => {
  const keys = [
    { key_id: "key-1", name: "", last_four: "34cd" },
    { key_id: "key-2", name: "Key", last_four: "12ab" },
  ];
  overview.value = { accounts: [{ account_id: "account-1", keys }] } as never;
  expect(shownOf("key:key")).toEqual(["refused"]);
  expect(shownOf("key:key-")).toEqual(Object.keys(LOG));
});

test("what was formatted is parsed to the same tokens", () => {
  for (const text of ["status:402", 'body:"night tram"', "rain", "a:b", "key:emu_…12ab"])
    expect(parse(text).map(format).join(" ")).toBe(text);
});

test.each([
  ["2026-01-01T00:16:30.740Z..2026-01-09T01:03:24.559Z", "2026-01-01 00:16:30.740–2026-01-09 01:03:24.559"],
  ["2026-01-01T00:16:30.740Z..2026-01-01T01:03:24.559Z", "2026-01-01 00:16:30.740–01:03:24.559"],
  ["2026-01-01", "2026-01-01"],
  ["2026-01-01..2026-01-02", "2026-01-01–2026-01-02"],
  ["Tuesday", "Tuesday"],
])("the chip of the time %s has its days: %s", (value, text) => {
  expect(chipText({ field: "time", value })).toBe(`time:${text}`);
});

test("a token moves to the chips once it is whole, and words stay", () => {
  type("rain status:4");
  expect([param("text"), chips.value]).toEqual(["rain status:4", []]);
  type("rain status:4xx ");
  expect([param("text"), param("q")]).toEqual(["rain", "status:4xx"]);
  type("rain body:");
  type("rain body:", true);
  expect([param("text"), param("q")]).toEqual(["rain body:", "status:4xx"]);
  type("status:4xx", true);
  expect([param("text"), param("q")]).toEqual(["", "status:4xx"]);
});

test("a space is no search, and a word of a link is a chip", () => {
  type("status:402 ");
  type(" ");
  expect([param("text"), param("q")]).toEqual(["", "status:402"]);
  setParam("q", "rain status:402");
  expect(chips.value.map(format)).toEqual(["rain", "status:402"]);
});

test.each([
  ['body:"night tram"', [], 'body:"night tram"'],
  ['body:"night tram" rain ', ['body:"night tram"'], "rain"],
  ["account:12 ", ["account:12"], ""],
  ["account:1", [], "account:1"],
  ["account:2", ["account:2"], ""],
  ["status:4xx method:GET", ["status:4xx"], "method:GET"],
  ['rain "night t', [], 'rain "night t'],
])("typing `%s` gives the chips %j, and leaves `%s`", (text, expected, rest) => {
  const accounts = Array.from({ length: 12 }, (_, index) => ({ account_id: `account-${index + 1}` }));
  overview.value = { accounts } as unknown as NonNullable<typeof overview.value>;
  for (const character of text) type(param("text") + character);
  expect([chips.value.map(format), param("text").trim()]).toEqual([expected, rest]);
});

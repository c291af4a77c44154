import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setParam } from "../../emulator/dashboard/address.js";
import type { ExchangeRow } from "../../emulator/dashboard/api.js";
import { findings } from "../../emulator/dashboard/store.js";
import { filtered } from "../../emulator/dashboard/views/requests/request-filters.js";

const NAMES = ["q", "task", "of", "key", "method", "status", "found"];

beforeEach(() => {
  const location = { hash: "" };
  const replaceState = (_state: null, _title: string, address: string) => {
    location.hash = address;
  };
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", { replaceState });
});
afterEach(() => {
  for (const name of NAMES) setParam(name, "");
  findings.value = [];
  vi.unstubAllGlobals();
});

const row = (fields: Partial<ExchangeRow>) =>
  ({
    at: "2026-01-01T00:00:00.000Z",
    request_id: "shared",
    method: "GET",
    path: "/api/v1/account/balance",
    status: 200,
    error_code: null,
    account_id: "account-1",
    key_id: "key-1",
    task_id: null,
    ...fields,
  }) as ExchangeRow;

const LOG: Record<string, ExchangeRow> = {
  read: row({}),
  created: row({ method: "POST", path: "/api/v1/task", status: 202, task_id: "7F1C-task" }),
  refused: row({ method: "POST", status: 400, error_code: "invalid_json", key_id: "key-2" }),
  limited: row({ status: 429, error_code: "rate_limited", request_id: "hasty" }),
  broken: row({ status: 502, account_id: "account-2" }),
  lost: row({ status: null, method: "POST" }),
  other: row({ method: "DELETE", status: 405, at: "2026-01-01T00:00:01.000Z" }),
};

test.each<[name: string, value: string, shown: string[]]>([
  ["status", "", Object.keys(LOG)],
  ["status", "2", ["read", "created"]],
  ["status", "4", ["refused", "limited", "other"]],
  ["status", "429", ["limited"]],
  ["status", "5", ["broken"]],
  ["status", "none", ["lost"]],
  ["method", "GET", ["read", "limited", "broken"]],
  ["method", "POST", ["created", "refused", "lost"]],
  ["method", "other", ["other"]],
  ["of", "account-2", ["broken"]],
  ["key", "key-2", ["refused"]],
  ["task", "7f1c", ["created"]],
  ["task", "nothing", []],
  ["q", "INVALID", ["refused"]],
  ["q", "hasty", ["limited"]],
  ["q", "/task", ["created"]],
])("the filter `%s` with `%s` shows the requests that match it, and no other", (name, value, shown) => {
  setParam(name, value);
  const rows = filtered(Object.values(LOG));
  expect(Object.keys(LOG).filter((each) => rows.includes(LOG[each] as ExchangeRow))).toEqual(shown);
});

test("only the request of a finding is shown with it, also if others have the same request ID", () => {
  const { at, request_id } = LOG["other"] as ExchangeRow;
  findings.value = [{ rule: "polled_too_often", at, request_id, detail: "" }];
  setParam("found", "1");
  expect(filtered(Object.values(LOG))).toEqual([LOG["other"]]);
});

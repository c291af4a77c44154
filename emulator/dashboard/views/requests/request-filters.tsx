import { computed } from "@preact/signals";
import { bindParam, param, setParam } from "../../address.js";
import type { ExchangeRow } from "../../api.js";
import { Field, Flag } from "../../parts/controls.js";
import { formatAmount, formatCount, shortId } from "../../parts/format.js";
import { findingsByRequest, isLogLoaded, keyNames, overview, requestKey } from "../../store.js";
import { isFailedRequest } from "../own.js";

const METHODS = [["", "Every method"], "GET", "POST", ["other", "any other"]] as const;
const STATUSES = [
  ["", "Every status"],
  ["2", "2xx"],
  ["failed", "no success, without 429"],
  ["4", "4xx"],
  "429",
  ["5", "5xx"],
  ["none", "no response"],
] as const;

export function Filters({ count }: { count: number }) {
  const accounts = overview.value?.accounts ?? [];
  const owner = accounts.find(({ account_id: id }) => id === param("of"));
  const keys = (owner === undefined ? accounts : [owner]).flatMap((each) => each.keys);
  return (
    <search class="filters">
      <Field label="Search" type="search" placeholder="Path, request ID, error code" {...bindParam("q")} />
      <Field label="Task" type="search" placeholder="Task ID" {...bindParam("task")} />
      {accounts.length > 1 && (
        <Field
          label="Account"
          of={[
            ["", "Every account"],
            ...accounts.map((each, index) => accountChoice(each.account_id, index)),
          ]}
          {...bindParam("of")}
        />
      )}
      {keys.length > 1 && (
        <Field
          label="Key"
          of={[
            ["", "Every key"],
            ...keys.map(({ key_id: id }) => [id, keyNames.value.get(id) ?? id] as const),
          ]}
          {...bindParam("key")}
        />
      )}
      <Field label="Method" of={METHODS} {...bindParam("method")} />
      <Field label="Status" of={STATUSES} {...bindParam("status")} />
      <div class="line">
        <Flag
          label={`Only with findings (${formatCount(findingsByRequest.value.size)})`}
          value={param("found") !== ""}
          onChange={(only) => setParam("found", only ? "1" : "")}
        />
        <small aria-live="polite">{isLogLoaded.value && formatAmount(count, "request")}</small>
      </div>
    </search>
  );
}

function accountChoice(id: string, index: number) {
  return [id, `${index + 1} · ${shortId(id)}`] as const;
}

/** Typed, in any case. */
const WORDS = ["q", "task"] as const;

/** One of the values of a list. */
const CHOICES = ["of", "key", "method", "status", "found"] as const;

const wanted = computed(() => {
  const values = Object.fromEntries([
    ...WORDS.map((name) => [name, param(name).trim().toLowerCase()]),
    ...CHOICES.map((name) => [name, param(name)]),
  ]);
  return Object.values(values).every((value) => value === "") ? null : values;
});

/** The requests that match the filters. Without a filter, the same list. */
export function filtered(log: readonly ExchangeRow[]): readonly ExchangeRow[] {
  if (wanted.value === null) return log;
  const { q = "", task = "", of, key, method: wantedMethod, status: wantedStatus = "", found } = wanted.value;
  return log.filter((request) => {
    const { method, status, path, request_id: id, error_code: code } = request;
    const group = method === "GET" || method === "POST" ? method : "other";
    return (
      (wantedMethod === "" || group === wantedMethod) &&
      (wantedStatus === "failed"
        ? isFailedRequest(request)
        : String(status ?? "none").startsWith(wantedStatus)) &&
      (of === "" || request.account_id === of) &&
      (key === "" || request.key_id === key) &&
      (task === "" || request.task_id?.toLowerCase().startsWith(task) === true) &&
      (q === "" || `${path} ${id} ${code ?? ""}`.toLowerCase().includes(q)) &&
      (found === "" || findingsByRequest.value.has(requestKey(request)))
    );
  });
}

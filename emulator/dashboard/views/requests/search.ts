import { computed } from "@preact/signals";
import { param, setParam } from "../../address.js";
import type { ExchangeRow } from "../../api.js";
import { findings, findingsOf, keyNames, overview, requests } from "../../store.js";
import { isFailedRequest, taskIdOf } from "../own.js";

/** The search of the request log: `status:402 method:POST rain`. All fields and words must match; of one field, any value. */

/** The numbers of the requests whose bodies contain a text. The emulator searches for them, since a row has no bodies. */
export type Bodies = Readonly<Record<string, ReadonlySet<number>>>;

/** The value of the filter `with` while the reader chooses the request to compare with. */
export const CHOOSING = "choose";

type Test = (request: ExchangeRow, value: string, bodies: Bodies) => boolean;

const startsWith = (text: string | null, value: string) =>
  text?.toLowerCase().startsWith(value.toLowerCase()) === true;

/** What each field compares. A value of `account` is a position, counted from 1, or else an ID. */
const FIELDS: Readonly<Record<string, Test>> = {
  status: (request, value) =>
    value.toLowerCase() === "failed"
      ? isFailedRequest(request)
      : startsWith(String(request.status ?? "none"), value.replace(/xx$/i, "")),
  method: ({ method }, value) => startsWith(method, value),
  code: ({ error_code: code }, value) => startsWith(code, value),
  path: ({ path }, value) => path.toLowerCase().includes(value.toLowerCase()),
  task: (request, value) => startsWith(taskIdOf(request), value),
  account: ({ account_id: id }, value) => startsWith(id, idOfAccount(value) ?? value),
  key: ({ key_id: id }, value) => id !== null && isKey(id, value),
  rule: (request, value) =>
    findingsOf(request).some(({ rule }) => value === "any" || startsWith(rule, value)),
  body: ({ number }, value, bodies) => number !== null && bodies[value]?.has(number) === true,
  time: ({ at }, value) => {
    const [from = "", until = from] = value.split("..");
    // An end without a time is the end of its day.
    return at >= from && at.slice(0, until.length) <= until;
  },
};

function idOfAccount(position: string): string | undefined {
  return overview.value?.accounts[Number(position) - 1]?.account_id;
}

/** @param value - the name of a key, what the page calls it, or else the beginning of its ID */
export function isKey(id: string, value: string): boolean {
  return keysByWord.value.get(asWord(value).toLowerCase())?.has(id) ?? startsWith(id, value);
}

/** The IDs of the keys that have a name, or are called so by the page: each name as one word in lower case. */
const keysByWord = computed(() => {
  const byWord = new Map<string, Set<string>>();
  for (const { key_id: id, name } of (overview.value?.accounts ?? []).flatMap((each) => each.keys))
    for (const word of [name, nameOfKey(id)].map((each) => asWord(each).toLowerCase()))
      byWord.set(word, (byWord.get(word) ?? new Set()).add(id));
  return byWord;
});

/** What the page calls a key, as one word. */
function nameOfKey(id: string): string {
  return asWord(keyNames.value.get(id) ?? id);
}

function asWord(text: string): string {
  return text.replaceAll(/[\u2066-\u2069]/g, "").replaceAll(/\s+/g, "_");
}

interface Token {
  readonly field: string;
  readonly value: string;
}

/** A value with a space stands in quotes: `body:"night tram"`. */
const TOKEN = /([a-z]+):(?:"([^"]*)"?|(\S*))|"([^"]*)"?|(\S+)/gi;

/** A word, or an unknown field with its value, has the field `""`. */
export function parse(text: string): Token[] {
  return Array.from(text.matchAll(TOKEN), ([whole, name = "", quoted, bare, phrase, word]) => {
    const field = name.toLowerCase();
    return Object.hasOwn(FIELDS, field)
      ? { field, value: quoted ?? bare ?? "" }
      : { field: "", value: phrase ?? word ?? whole };
  });
}

export function format({ field, value }: Token): string {
  const text = /\s/.test(value) ? `"${value}"` : value;
  return field === "" ? text : `${field}:${text}`;
}

/** What the chip of a token shows: of a time, each day once. */
export function chipText(token: Token): string {
  if (token.field !== "time") return format(token);
  const [from = "", until] = token.value
    .replaceAll(/(?<=\d)T/g, " ")
    .replaceAll(/(?<=\d)Z/g, "")
    .split("..");
  if (until === undefined) return `time:${from}`;
  const day = `${from.slice(0, 10)} `;
  return `time:${from}–${until.startsWith(day) ? until.slice(day.length) : until}`;
}

/** The whole tokens, and the words of a link: each is a chip. */
export const chips = computed(() => parse(param("q")));

export function setChips(tokens: readonly Token[]): void {
  setParam("q", [...new Set(tokens.map(format))].join(" "));
}

/** Moves the whole tokens of the typed text to the chips. The last one may still be incomplete: its quotes, or its value. */
export function type(text: string, isWhole = false): void {
  const typed = parse(text);
  const isQuoted = text.split('"').length % 2 === 0;
  const continued = completions.value.filter((each) => each.startsWith(text));
  const isOnly = continued.length === 1 && continued[0] === text;
  const isDone = isWhole || (/\s$/.test(text) && !isQuoted) || isOnly;
  const ready = typed.filter(({ field, value }, index) => {
    return field !== "" && value !== "" && (isDone || index < typed.length - 1);
  });
  if (ready.length === 0) {
    setParam("text", text.trimStart());
    return;
  }
  setChips([...chips.value, ...ready]);
  const rest = typed.filter((token) => !ready.includes(token));
  setParam("text", rest.map(format).join(" "));
}

/** What can be typed: each field, and the values that are in the log. */
export const completions = computed((): readonly string[] => {
  const values = (of: (request: ExchangeRow) => unknown) =>
    [...new Set(requests.value.map(of))].filter((value) => value !== null).sort();
  const all: Readonly<Record<string, readonly unknown[]>> = {
    status: ["failed", "4xx", "5xx", "none", ...values(({ status }) => status)],
    method: values(({ method }) => method),
    code: values(({ error_code: code }) => code),
    rule: ["any", ...new Set(findings.value.map(({ rule }) => rule))],
    account: (overview.value?.accounts ?? []).map((_, index) => index + 1),
    key: values(({ key_id: id }) => id && nameOfKey(id)),
  };
  return Object.keys(FIELDS).flatMap((field) => [
    `${field}:`,
    ...(all[field] ?? []).map((value) => `${field}:${value}`),
  ]);
});

/** The tokens and words of the search. */
export const search = computed(() =>
  [...chips.value, ...parse(param("text"))].filter(({ value }) => value !== ""),
);

/** The texts that are searched for in bodies. */
export const bodyTexts = computed(() =>
  search.value.filter(({ field }) => field === "body").map(({ value }) => value),
);

/** The value of a field that is searched for. */
export function searchedFor(field: string): string | undefined {
  return search.value.find((token) => token.field === field)?.value;
}

/** The requests that match the search. */
export function found(log: readonly ExchangeRow[], bodies: Bodies): readonly ExchangeRow[] {
  if (search.value.length === 0) return log;
  const words = search.value.filter(({ field }) => field === "").map(({ value }) => value.toLowerCase());
  const groups = Object.entries(FIELDS)
    .map(([field, test]) => [test, search.value.filter((token) => token.field === field)] as const)
    .filter(([, tokens]) => tokens.length > 0);
  return log.filter((request) => {
    const { path, request_id: id, error_code: code, message } = request;
    const text = words.length === 0 ? "" : `${path} ${id} ${code} ${message}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      groups.every(([test, tokens]) => tokens.some(({ value }) => test(request, value, bodies)))
    );
  });
}

import { HEADERS, isFinalStatus, isRecord, LIMITS } from "../../contract/service.js";
import { canonicalJson } from "../../contract/text.js";
import {
  AccountSuspendedError,
  type AsyncMusic,
  type Clock,
  RateLimitedError,
  SubmissionOutcomeUnknownError,
  type TaskRequest,
} from "../../index.js";
import { type Fields, formatField, mediaType, responseFields, type Sent } from "./fields.js";
import { type CreateProbe, type Probe, UNKNOWN_ID } from "./probes.js";
import type { Change, Exchange, Wire } from "./wire.js";

/** What one probe showed, by part: a response, a change of the credits, the course of a task. */
export type Observation = Record<string, Fields>;

/** What the probes showed about one service. */
export interface Survey {
  readonly observations: Map<string, Observation>;
  /** Probes that the ceiling did not allow, with the credits that they may cost. */
  readonly skipped: { probe: string; credits: number }[];
  /** Probes without a result: no response arrived, or a signal ended the check. */
  readonly incomplete: { probe: string; reason: string }[];
  /** How the account changed without a request of the check, by the probe at which it was noticed. */
  readonly accountChanges: { probe: string; changes: Fields }[];
  /** The status of each task at its first read, right after its creation. */
  readonly firstStatuses: string[];
  /** Spendable credits at the start; `null` if the balance has none. */
  readonly available: number | null;
  /** Credits that the probes used up. A request with an unknown outcome counts as charged. */
  readonly spent: number;
}

export interface SurveyedService {
  readonly client: AsyncMusic;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly maxCredits: number;
  readonly signal: AbortSignal;
  onProbe(name: string): void;
}

/** The observation of a 429, which no probe provokes. */
export const LIMITED = "rate limit exceeded";

const POLL_MS = LIMITS.recommendedPollIntervalMs.shortest;
/** How long a task is read: 5 minutes longer than its timeout. */
const LONGEST_WAIT_MS = LIMITS.taskTimeoutMs + 5 * 60_000;
/** After so many reads in a row without a status, a task is given up. */
const MOST_FAILED_READS = 5;

/** Runs the probes one after the other, until a signal. @throws the SDK's error if the service can't be used at all */
export async function survey(service: SurveyedService, probes: readonly Probe[]): Promise<Survey> {
  const { wire, client, clock, signal, maxCredits, onProbe } = service;
  const observations: Survey["observations"] = new Map();
  const skipped: Survey["skipped"] = [];
  const incomplete: Survey["incomplete"] = [];
  const accountChanges: Survey["accountChanges"] = [];
  const firstStatuses: string[] = [];

  const first = await wire.observe(() => client.account.balance({ signal }));
  if (first.exchange === null || first.exchange.status >= 300) throw first.error;
  const { available: stated, frozen } = dataOf(first.exchange);
  const available = numberOf(stated);
  let left = available;
  /** As last read; `null` if requests have changed it since. */
  let account: Account | null = null;
  /** Credits of tasks that were not refunded. */
  let charged = 0;
  /** By how much the service exceeded a documented price. It may do so again. */
  let surcharge = 0;
  // After another program used the account, its balance does not show what the check spent.
  const spent = () =>
    accountChanges.length > 0 ? charged : Math.max(charged, (available ?? 0) - (left ?? 0));

  for (const probe of probes) {
    if (probe.kind === "create" && spent() + probe.credits + surcharge > maxCredits) {
      skipped.push({ probe: probe.name, credits: probe.credits });
      continue;
    }
    const observation: Observation = {};
    const failure = await run(probe, observation).catch((error: unknown) => {
      if (signal.aborted) return signal.reason;
      if (error instanceof AccountSuspendedError) throw error;
      return error;
    });
    if (failure === null) observations.set(probe.name, observation);
    else incomplete.push({ probe: probe.name, reason: reasonOf(failure) });
  }
  if (wire.limited !== null) observations.set(LIMITED, { response: limitedFields(wire.limited) });
  return { observations, skipped, incomplete, accountChanges, firstStatuses, available, spent: spent() };

  /** Fills in what the probe shows. Returns why it shows nothing. */
  async function run(probe: Probe, observation: Observation): Promise<unknown> {
    signal.throwIfAborted();
    onProbe(probe.name);
    if (probe.kind === "rate limit") {
      const before = await readAccount();
      observation["window"] = await windowFields(probe.name);
      account = await readAccount();
      noteChanges(probe.name, before, account, COUNTED);
      return null;
    }
    if (probe.kind === "create") return runCreate(probe, observation);
    const { kind, change } = probe;
    const calls = {
      balance: () => client.account.balance({ signal }),
      usage: () => client.account.usage({ signal }),
      task: () => client.tasks.retrieve(UNKNOWN_ID, { signal }),
    };
    const exchange = await observe(calls[kind], change);
    observation["response"] = responseFields(exchange);
    return null;
  }

  /** @throws if there is no response */
  async function observe(call: () => PromiseLike<unknown>, change?: Change): Promise<Exchange> {
    const { exchange, error } = await wire.observe(call, change);
    if (exchange !== null && !(error instanceof RateLimitedError)) return exchange;
    throw error ?? new Error("the response broke off");
  }

  /** Sends the POST once. It has no signal: the response to a charged task must not be lost. */
  async function runCreate(probe: CreateProbe, observation: Observation) {
    const { name, request, credits, change } = probe;
    const before: Account = account ?? (await readAccount());
    account = null;
    const { exchange, error } = await wire.observe(() => client.tasks.create(request as TaskRequest), change);
    const isAccepted = exchange !== null && exchange.status < 300;
    const data = dataOf(exchange);
    const cost = Math.max(credits, numberOf(data["credits_charged"]) ?? 0);
    if (isAccepted || error instanceof SubmissionOutcomeUnknownError) charged += cost;
    surcharge = Math.max(surcharge, cost - credits);
    if (error instanceof AccountSuspendedError) throw error;
    const atStart = await readAccount();
    account = atStart;
    if (!isAccepted) noteEndOfOther(name, before, atStart);
    if (exchange === null || error instanceof RateLimitedError)
      return error ?? new Error("the response broke off");

    const sent = { input: Object(request).input };
    observation["response"] = responseFields(exchange, sent);
    observation["credits after the response"] = changesOf(before, atStart);
    const taskId = data["task_id"];
    if (!isAccepted || typeof taskId !== "string") return null;
    account = null;
    const status = await follow(taskId, sent, observation);
    const atEnd = await readAccount();
    account = atEnd;
    // The check created one task. A service that counts it late does not look like another program.
    if (Number(changeOf(before, atEnd, "tasks_created")) > 1)
      noteChanges(name, atStart, atEnd, ["tasks_created"]);
    noteChanges(name, atStart, atEnd, ["credits_topped_up"]);
    if (!isFinalStatus(status)) return null;
    noteEndOfOther(name, before, atEnd);
    observation["credits at the end"] = changesOf(atStart, atEnd);
    if (status !== "success" && Number(changeOf(atStart, atEnd, "available")) >= cost) charged -= cost;
    return null;
  }

  /** Notes changes that no request of the check explains. */
  function noteChanges(probe: string, before: Account, after: Account, names: readonly string[]): void {
    const all = names.map((name) => [name, changeOf(before, after, name)] as const);
    const changes = Object.fromEntries(all.filter(([, change]) => Number(change)));
    if (Object.keys(changes).length > 0) accountChanges.push({ probe, changes });
  }

  /** Credits that were frozen at the start are those of other tasks. No task of the check is unfinished here. */
  function noteEndOfOther(probe: string, before: Account, after: Account): void {
    if (Number(frozen) > 0 && Number(changeOf(before, after, "frozen")) < 0)
      noteChanges(probe, before, after, ["frozen"]);
  }

  /** Reads a task at once and then every 5 seconds, until it has ended, and then once more. Returns its status. */
  async function follow(taskId: string, sent: Sent, observation: Observation): Promise<string> {
    const startedAt = clock.now();
    const statuses: string[] = [];
    let failed = 0;
    let last: { data: Record<string, unknown>; fields: Fields } | null = null;
    let again = "not read";
    while (failed < MOST_FAILED_READS && clock.now() - startedAt < LONGEST_WAIT_MS) {
      // A failed read is not repeated at once: a task is not read twice within a second.
      const call = () => client.tasks.retrieve(taskId, { signal, maxRetries: 0 });
      const { exchange } = await wire.observe(call);
      signal.throwIfAborted();
      const data = dataOf(exchange);
      const status = typeof data["status"] === "string" ? data["status"] : null;
      failed = status === null ? failed + 1 : 0;
      if (exchange !== null && exchange.status !== 429) {
        const fields = responseFields(exchange, { ...sent, taskId });
        observation[status === null ? "failed read" : `read while ${status}`] ??= fields;
        if (status !== null) {
          if (statuses.length === 0) firstStatuses.push(status);
          if (statuses.at(-1) !== status) statuses.push(status);
          const hadEnded = last !== null && isFinalStatus(String(last.data["status"]));
          again = canonicalJson(last?.fields) === canonicalJson(fields) ? "unchanged" : "changed";
          last = { data, fields };
          if (hadEnded) break;
        }
      }
      await clock.sleep(POLL_MS, signal);
    }
    const end = statuses.at(-1) ?? "unknown";
    observation["task"] = {
      "order of its states": orderField(statuses),
      "last status": isFinalStatus(end) ? end : "not final",
      "read after its end": again,
    };
    const audio = audioUrlOf(last?.data);
    if (audio !== null) observation["audio"] = await audioFields(audio, last?.data["type"]);
    return end;
  }

  async function audioFields(url: string, type: unknown): Promise<Fields> {
    try {
      const { contentType, body } = await client.audio.download(url, { signal });
      const reader = body.getReader();
      const { value = new Uint8Array() } = await reader.read();
      await reader.cancel();
      const stated = mediaType(contentType);
      // The format of an upload that is not converted is that of its source.
      const isOwn = type === "upload" && stated !== "audio/mpeg" && stated?.startsWith("audio/");
      return {
        "Content-Type header": isOwn ? "the source's" : (stated ?? "missing"),
        format: formatField(stated, value),
      };
    } catch (error) {
      signal.throwIfAborted();
      const status: unknown = Object(error).status;
      return { download: typeof status === "number" ? `HTTP ${status}` : Object(error).name };
    }
  }

  /** Reads the balance over 65 s: a fixed window then starts again, and a sliding one still has the last three reads. */
  async function windowFields(probe: string): Promise<Fields> {
    const remaining: (number | null)[] = [];
    const read = async () => {
      const { headers } = await observe(() => client.account.balance({ signal }));
      const stated = headers.get(HEADERS.rateLimitRemaining) ?? "";
      remaining.push(/^\d+$/.test(stated) ? Number(stated) : null);
    };
    await clock.sleep(LIMITS.windowMs + 1000, signal);
    await read();
    await clock.sleep(40_000, signal);
    for (let reads = 0; reads < 3; reads++) await read();
    await clock.sleep(25_000, signal);
    await read();
    const [start, first, , third, end] = remaining;
    const byOthers = Number(difference(first, start)) + 1;
    if (byOthers < 0 && difference(third, first) === -2)
      accountChanges.push({ probe, changes: { [HEADERS.rateLimitRemaining]: byOthers } });
    return {
      "remaining after the first request": start ?? "missing",
      "change after three more": difference(third, start),
      "change after 65 s": difference(end, start),
    };
  }

  async function readAccount(): Promise<Account> {
    const balance = await observe(() => client.account.balance({ signal }));
    const usage = await observe(() => client.account.usage({ signal }));
    const data = { ...dataOf(balance), ...dataOf(usage) };
    left = numberOf(data["available"]) ?? left;
    return data;
  }
}

/** Balance and usage. */
type Account = Record<string, unknown>;

function dataOf(exchange: Exchange | null): Record<string, unknown> {
  const data: unknown = Object(exchange?.body).data;
  return isRecord(data) ? data : {};
}

const COUNTED = "available frozen total tasks_created credits_used credits_topped_up".split(" ");

function changesOf(before: Account, after: Account): Fields {
  return Object.fromEntries(COUNTED.map((name) => [name, changeOf(before, after, name)]));
}

function changeOf(before: Account, after: Account, name: string): number | string {
  return difference(numberOf(after[name]), numberOf(before[name]));
}

function difference(after: number | null | undefined, before: number | null | undefined): number | string {
  return typeof after === "number" && typeof before === "number" ? after - before : "unknown";
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** How quickly a task advances is not compared: only whether it ever goes back, or has another status. */
function orderField(statuses: readonly string[]): string {
  const ranks = statuses.map((status) =>
    isFinalStatus(status) ? 2 : ["pending", "running"].indexOf(status),
  );
  const isForward = ranks.every((rank, index) => rank >= 0 && rank > (ranks[index - 1] ?? -1));
  return isForward ? "pending, running, final" : statuses.join(", ");
}

function audioUrlOf(task: Record<string, unknown> | undefined): string | null {
  const result: unknown = Object(task?.["output"]).result;
  const url: unknown = Array.isArray(result) ? Object(result[0]).audio_url : null;
  return typeof url === "string" && /^https?:/.test(url) && URL.canParse(url) ? url : null;
}

function limitedFields(exchange: Exchange): Fields {
  const stated = Object(exchange.body).retry_after_seconds;
  const agrees = String(stated) === exchange.headers.get("Retry-After");
  return { ...responseFields(exchange), "header and body": agrees ? "agree" : "differ" };
}

function reasonOf(error: unknown): string {
  if (error instanceof SubmissionOutcomeUnknownError)
    return "no response arrived. The service may have created a task. The request was not sent again.";
  return error instanceof Error ? error.message : String(error);
}

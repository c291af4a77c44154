import { HEADERS, isFinalStatus, isRecord } from "../../src/contract/service.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { AccountSuspendedError, RateLimitedError, SubmissionOutcomeUnknownError } from "../../src/index.js";
import { uncheckedRequest } from "../request.js";
import {
  type AccountReading,
  AccountWatch,
  creditFields,
  dataOf,
  numberChange,
  statedNumber,
} from "./account.js";
import type { ObservedFields } from "./fields.js";
import { followTask } from "./follow.js";
import type { Observation, SurveyedService } from "./observation.js";
import { responseFields } from "./response-fields.js";
import type { CreatedFrom, KnownTask } from "./task-fields.js";
import { type CreateTest, type DriftTest, UNKNOWN_ID } from "./tests.js";
import { windowFields } from "./window.js";
import type { RecordedResponse, RequestChange } from "./wire.js";

/** What the tests showed about one service. */
export interface Survey {
  readonly observations: Map<string, Observation>;
  /** Tests that the ceiling did not allow, with the credits that they may cost. */
  readonly skipped: { test: string; credits: number }[];
  /** Tests without a result: no response arrived, the check was stopped, or a signal ended it. */
  readonly incomplete: { test: string; reason: string }[];
  /** How the account changed without a request of the check, by the test at which it was noticed. */
  readonly accountChanges: { test: string; changes: ObservedFields }[];
  /** The status of each task at its first read, right after its creation; `null` if that read failed. */
  readonly firstStatuses: (string | null)[];
  /** Spendable credits at the start; `null` if the balance has none. */
  readonly available: number | null;
  /** Credits that the tests used up. A request with an unknown outcome counts as charged. */
  readonly spent: number;
}

/** The observation of a 429, which no test provokes. */
export const LIMITED = "rate limit exceeded";
/** The observation of server errors that a repeated read did not have. */
export const SERVER_ERRORS = "reads that succeeded after a server error";

/** Runs the tests one after the other, until a signal. @throws the SDK's error if the service can't be used at all */
export async function survey(service: SurveyedService, tests: readonly DriftTest[]): Promise<Survey> {
  const first = await service.wire.observe(() => service.client.account.balance({ signal: service.signal }));
  if (first.response === null || first.response.status >= 300) throw first.error;
  const run = new SurveyRun(service, dataOf(first.response));
  for (const test of tests) await run.test(test);
  return run.result();
}

class SurveyRun {
  readonly #service: SurveyedService;
  readonly #account: AccountWatch;
  readonly #observations: Survey["observations"] = new Map();
  readonly #skipped: Survey["skipped"] = [];
  readonly #incomplete: Survey["incomplete"] = [];
  readonly #firstStatuses: Survey["firstStatuses"] = [];
  readonly #accepted = new Set<string>();
  /** Reads of tasks that succeeded after a server error. */
  #recovered = 0;

  constructor(service: SurveyedService, balance: Record<string, unknown>) {
    const { client, signal } = service;
    this.#service = service;
    this.#account = new AccountWatch(balance, client, signal, (call) => this.#observe(call));
  }

  async test(test: DriftTest): Promise<void> {
    const { maxCredits, signal } = this.#service;
    const { name } = test;
    if (test.kind === "create" && !signal.aborted) {
      if (this.#isNeedless(test)) return;
      const stopReason =
        maxCredits === Number.POSITIVE_INFINITY ? null : this.#account.stopReason(maxCredits);
      if (stopReason !== null) {
        this.#incomplete.push({ test: name, reason: stopReason });
        return;
      }
      if (!this.#account.canAfford(test.credits, maxCredits)) {
        if (!test.isExtra) this.#skipped.push({ test: name, credits: test.credits });
        return;
      }
    }
    const observation: Observation = {};
    const failure = await this.#run(test, observation).catch((error: unknown) => {
      if (signal.aborted) return signal.reason;
      if (error instanceof AccountSuspendedError) throw error;
      return error;
    });
    if (failure === null) this.#observations.set(name, observation);
    else this.#incomplete.push({ test: name, reason: reasonWithoutResult(failure) });
  }

  /** Whether the result of another test shows the same, or its price did not fit either. */
  #isNeedless({ unlessAccepted: other }: CreateTest): boolean {
    return this.#accepted.has(other ?? "") || this.#skipped.some(({ test }) => test === other);
  }

  result(): Survey {
    const { limited, recovered } = this.#service.wire;
    if (limited !== null) this.#observations.set(LIMITED, { response: limitedFields(limited) });
    // A single server error may happen to every service.
    const count = recovered + this.#recovered > 1 ? "several" : "at most one";
    this.#observations.set(SERVER_ERRORS, { reads: { count } });
    return {
      observations: this.#observations,
      skipped: this.#skipped,
      incomplete: this.#incomplete,
      accountChanges: this.#account.changes,
      firstStatuses: this.#firstStatuses,
      available: this.#account.available,
      spent: this.#account.spent,
    };
  }

  /** Fills in what the test shows. Returns why it shows nothing. */
  async #run(test: DriftTest, observation: Observation): Promise<unknown> {
    const { client, signal, onTest } = this.#service;
    signal.throwIfAborted();
    onTest(test.name);
    if (test.kind === "rate limit") return this.#runWindow(test.name, observation);
    if (test.kind === "create") return this.#runCreate(test, observation);
    const calls = {
      balance: () => client.account.balance({ signal }),
      usage: () => client.account.usage({ signal }),
      task: () => client.tasks.retrieve(UNKNOWN_ID, { signal }),
    };
    observation["response"] = responseFields(await this.#observe(calls[test.kind], test.change));
    return null;
  }

  async #runWindow(name: string, observation: Observation): Promise<null> {
    const { client, clock, signal } = this.#service;
    const before = await this.#account.read();
    const { fields, byOthers } = await windowFields(client, clock, signal, (call) => this.#observe(call));
    observation["window"] = fields;
    if (byOthers < 0)
      this.#account.changes.push({ test: name, changes: { [HEADERS.rateLimitRemaining]: byOthers } });
    this.#account.noteChanges(name, before, await this.#account.read());
    return null;
  }

  /** @throws if there is no response */
  async #observe(call: () => PromiseLike<unknown>, change?: RequestChange): Promise<RecordedResponse> {
    const { response, error } = await this.#service.wire.observe(call, change);
    if (response !== null && !(error instanceof RateLimitedError)) return response;
    throw error ?? new Error("the response broke off");
  }

  /** Sends the POST once, and follows its task. */
  async #runCreate(test: CreateTest, observation: Observation): Promise<unknown> {
    const before = await this.#account.current();
    const { response, error, cost } = await this.#send(test);
    if (error instanceof AccountSuspendedError) throw error;
    const after = await this.#account.read();
    const isAccepted = response !== null && response.status < 300;
    if (!isAccepted) this.#account.noteEndOfOther(test.name, before, after);
    if (response === null || error instanceof RateLimitedError)
      return error ?? new Error("the response broke off");

    const data = dataOf(response);
    const { task_id: id, credits_charged: charged, created_at: createdAt } = data;
    const { request, credits, hasUnknownClip = false } = test;
    const sent: CreatedFrom = { request: { ...request }, credits, hasUnknownClip, task: null };
    observation["response"] = responseFields(response, sent);
    observation["credits after the response"] = creditFields(before, after, charged);
    if (!isAccepted || typeof id !== "string") return null;
    this.#accepted.add(test.name);
    const task: KnownTask = { id, charged, createdAt, unfinishedAt: response.date };
    await this.#follow(test.name, { ...sent, task }, { before, after, cost }, observation);
    return null;
  }

  /** It has no signal: the response to a charged task must not be lost. */
  async #send({ request, credits, change }: CreateTest) {
    const { client, wire } = this.#service;
    this.#account.forget();
    const { response, error } = await wire.observe(
      () => client.tasks.create(uncheckedRequest(request)),
      change,
    );
    const isAccepted = response !== null && response.status < 300;
    const stated = statedNumber(dataOf(response)["credits_charged"]);
    const isCharged = isAccepted || error instanceof SubmissionOutcomeUnknownError;
    return { response, error, cost: this.#account.charge(credits, stated, isCharged) };
  }

  /** Reads the task until its end, and then what that changed. */
  async #follow(
    name: string,
    sent: CreatedFrom & { task: KnownTask },
    { before, after, cost }: { before: AccountReading; after: AccountReading; cost: number },
    observation: Observation,
  ): Promise<void> {
    this.#account.forget();
    const { end, firstStatus, recovered } = await followTask(this.#service, sent, observation);
    this.#firstStatuses.push(firstStatus);
    this.#recovered += recovered;
    const atEnd = await this.#account.read();
    // The check created one task. A service that counts it late does not look like another program.
    if (Number(numberChange(before, atEnd, "tasks_created")) > 1)
      this.#account.noteChanges(name, after, atEnd, ["tasks_created"]);
    this.#account.noteChanges(name, after, atEnd, ["credits_topped_up"]);
    if (end === null || !isFinalStatus(end)) return;
    this.#account.noteEndOfOther(name, before, atEnd);
    observation[`credits after ${end}`] = creditFields(after, atEnd, sent.task.charged);
    if (end !== "success" && Number(numberChange(after, atEnd, "available")) >= cost)
      this.#account.refund(cost);
  }
}

function limitedFields(response: RecordedResponse): ObservedFields {
  const stated = isRecord(response.body) ? response.body["retry_after_seconds"] : undefined;
  const agrees = String(stated) === response.headers.get(HEADERS.retryAfter);
  return { ...responseFields(response), "header and body": agrees ? "agree" : "differ" };
}

function reasonWithoutResult(error: unknown): string {
  if (error instanceof SubmissionOutcomeUnknownError)
    return "no response arrived. The service may have created a task. The request was not sent again.";
  return messageOfThrown(error);
}

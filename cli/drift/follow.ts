import { canonicalJson } from "../../src/contract/canonical-json.js";
import { isFinalStatus, isRecord, LIMITS } from "../../src/contract/service.js";
import { dataOf } from "./account.js";
import { audioFields } from "./audio.js";
import type { ObservedFields } from "./fields.js";
import type { Observation, SurveyedService } from "./observation.js";
import { responseFields } from "./response-fields.js";
import { type CreatedFrom, documented, type KnownTask } from "./task-fields.js";
import type { RecordedResponse } from "./wire.js";

const POLL_MS = LIMITS.recommendedPollIntervalMs.shortest;
/** How long a task is read: 5 minutes longer than its timeout. */
export const LONGEST_FOLLOW_MS = LIMITS.taskTimeoutMs + 5 * 60_000;
/** After so many reads in a row without a status, a task is given up. */
const MOST_FAILED_READS = 5;
/** How late a service may notice that a task is older than its timeout. */
const TIMEOUT_GRACE_MS = 60_000;

/** The part of reads without a status. */
export const FAILED_READ = "failed read";

/** Reads a task at once and then every 5 seconds, until it has ended, and then once more. */
export async function followTask(
  service: SurveyedService,
  sent: CreatedFrom & { task: KnownTask },
  observation: Observation,
): Promise<TaskCourse> {
  const { client, wire, clock, signal } = service;
  const course = new TaskCourse(sent, observation);
  const startedAt = clock.now();
  while (!course.isComplete && clock.now() - startedAt < LONGEST_FOLLOW_MS) {
    // A failed read is not repeated at once: a task is not read twice within a second.
    const call = () => client.tasks.retrieve(sent.task.id, { signal, maxRetries: 0 });
    const { response } = await wire.observe(call);
    signal.throwIfAborted();
    course.addRead(response, clock.now() - startedAt);
    await clock.sleep(POLL_MS, signal);
  }
  const data = course.finish();
  const audio = data === null ? null : await audioFields(client, data, signal);
  if (audio !== null) observation["audio"] = audio;
  return course;
}

/** What a task showed. */
class TaskCourse {
  /** The status of the first read, right after the creation; `null` if that read failed. */
  firstStatus: string | null = null;
  /** Reads with a server error, which a later read of the task did not have. */
  recovered = 0;
  readonly #sent: CreatedFrom & { task: KnownTask };
  readonly #observation: Observation;
  readonly #statuses: string[] = [];
  #reads = 0;
  /** Failed reads since the last read with a status. */
  #failed = 0;
  #serverErrors: RecordedResponse[] = [];
  #last: Record<string, unknown> | null = null;
  #again: "not read" | "changed" | "unchanged" = "not read";
  #isOverdue = false;

  constructor(sent: CreatedFrom & { task: KnownTask }, observation: Observation) {
    this.#sent = sent;
    this.#observation = observation;
  }

  /** The last status; `null` if no read had one. */
  get end(): string | null {
    return this.#statuses.at(-1) ?? null;
  }

  get isComplete(): boolean {
    return this.#again !== "not read" || this.#failed >= MOST_FAILED_READS;
  }

  addRead(response: RecordedResponse | null, ageMs: number): void {
    this.#reads++;
    const data = dataOf(response);
    const status = typeof data["status"] === "string" ? data["status"] : null;
    if (response === null || response.status === 429 || status === null) this.#addFailure(response);
    else this.#addStatus(status, data, response, ageMs);
  }

  #addFailure(response: RecordedResponse | null): void {
    this.#failed++;
    if (response === null || response.status === 429) return;
    if (response.status >= 500) this.#serverErrors.push(response);
    else this.#observation[FAILED_READ] ??= responseFields(response);
  }

  #addStatus(status: string, data: Record<string, unknown>, response: RecordedResponse, ageMs: number): void {
    const { task } = this.#sent;
    this.recovered += this.#serverErrors.length;
    this.#serverErrors = [];
    this.#failed = 0;
    if (this.#reads === 1) this.firstStatus = status;
    this.#observation[`read while ${status}`] ??= responseFields(response, this.#sent);
    if (this.end !== null && isFinalStatus(this.end))
      this.#again = lastingOf(this.#last) === lastingOf(data) ? "unchanged" : "changed";
    if (this.end !== status) this.#statuses.push(status);
    this.#last = data;
    if (isFinalStatus(status)) return;
    task.unfinishedAt = response.date;
    this.#isOverdue ||= ageMs > LIMITS.taskTimeoutMs + TIMEOUT_GRACE_MS;
  }

  /** Adds what the reads show together. Returns the task as it was read last. */
  finish(): Record<string, unknown> | null {
    const [serverError] = this.#serverErrors;
    // No read succeeded after it.
    if (serverError !== undefined) this.#observation[FAILED_READ] ??= responseFields(serverError);
    const end = this.end ?? "unknown";
    const fields: ObservedFields = {
      "order of its states": orderField(this.#statuses),
      "last status": isFinalStatus(end) ? end : "not final",
      "read after its end": this.#again,
      "an hour after its creation": this.#isOverdue ? "unfinished" : "ended",
    };
    this.#observation["task"] = fields;
    return this.#last;
  }
}

/** What does not change after a task's end: not its addresses, which may be signed anew, nor prose and undocumented fields. */
function lastingOf(data: Record<string, unknown> | null): string {
  if (data === null) return "";
  const { output, error: _, ...rest } = data;
  const result: unknown = isRecord(output) ? output["result"] : null;
  const clips = Array.isArray(result) ? result.map((clip) => lastingClip(clip, data["type"])) : result;
  return canonicalJson({ ...rest, output: isRecord(output) ? { ...output, result: clips } : output });
}

function lastingClip(clip: unknown, type: unknown): unknown {
  if (!isRecord(clip)) return clip;
  const { audio_url: _, image_url: __, ...rest } = documented(clip, type);
  return rest;
}

/** How quickly a task advances is not compared: only whether it ever goes back, or has another status. */
function orderField(statuses: readonly string[]): string {
  const ranks = statuses.map((status) =>
    isFinalStatus(status) ? 2 : ["pending", "running"].indexOf(status),
  );
  const isForward = ranks.every((rank, index) => rank >= 0 && rank > (ranks[index - 1] ?? -1));
  return isForward ? "pending, running, final" : statuses.join(", ");
}

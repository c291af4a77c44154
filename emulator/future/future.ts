import { isRecord, type TaskType } from "../../src/contract/service.js";
import { randomStream } from "../time/random.js";
import { CHANGES, type Change, type JsonObject, type UnscriptedOutcome } from "./changes.js";

/** A way in which the service differs from today's. */
export interface FutureChange {
  /** Such as `running_status`. */
  readonly name: string;
  /** In one sentence. */
  readonly description: string;
}

/** A later version of the service: what is different in it. */
export class Future {
  readonly changes: readonly (FutureChange & Change)[];

  /** Few changes in some futures, nearly all in others. */
  constructor(seed: number) {
    const random = randomStream(seed, "future");
    const share = random();
    const names = Object.keys(CHANGES).filter(() => random() < share);
    this.changes = Object.entries(CHANGES)
      .filter(([name]) => names.includes(name))
      .map(([name, draw]) => ({ name, ...draw(randomStream(seed, "future", name)) }));
  }

  /** What the providers do with a task, unless a script says otherwise. */
  outcomeFor(type: TaskType): UnscriptedOutcome {
    return Object.assign({}, ...this.changes.map(({ outcome }) => outcome?.(type)));
  }

  /** Changes the body and the headers of a response to what this version writes. */
  rewrite(body: JsonObject, headers: Record<string, string>): void {
    for (const [part, json] of partsOf(body)) for (const change of this.changes) change[part]?.(json);
    for (const { headers: rewrite } of this.changes) rewrite?.(headers);
  }
}

type Part = "task" | "clip" | "submission" | "account" | "error" | "envelope";

/** The parts of a body, the inner ones first. */
function partsOf(body: JsonObject): [Part, JsonObject][] {
  const { data } = body;
  if (!isRecord(data)) return [["error", body]];
  return [...partsOfData(data), ["envelope", body]];
}

function partsOfData(data: JsonObject): [Part, JsonObject][] {
  if ("credits_charged" in data) return [["submission", data]];
  if (!("task_id" in data)) return [["account", data]];
  const { output } = data;
  const result = isRecord(output) ? output["result"] : null;
  const clips = Array.isArray(result) ? result.filter(isRecord) : [];
  return [...clips.map((clip): [Part, JsonObject] => ["clip", clip]), ["task", data]];
}

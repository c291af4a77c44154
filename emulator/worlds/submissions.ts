import type { Order, Post } from "./app.js";
import type { PlannedOrder } from "./plan.js";

/** One POST while its world runs. */
export interface WorldSubmission extends Post {
  readonly order: string;
  readonly sender: Post["sender"] & { readonly steps: number };
  received: Post["received"];
  taskId: string | null;
  /** The steps that its sender had taken when it received the response. */
  receivedAtStep: number;
  /** Whether the journal has the task: its sender has read the ID, also in a response that was cut. */
  isRecorded: boolean;
}

/** After so many steps, a process has had the time to record what it received. */
const STEPS_TO_RECORD = 20;

/** Whether the sender recorded the task, or received it and had the time to record it before it was killed or failed. */
export function isKnown({ received, sender, receivedAtStep, isRecorded }: WorldSubmission): boolean {
  const hadTime = !sender.isCrashed || sender.steps - receivedAtStep >= STEPS_TO_RECORD;
  return isRecorded || (received === "task" && hadTime);
}

/** All POSTs of a world. */
export class WorldSubmissions {
  readonly #all: WorldSubmission[] = [];
  readonly #orders: readonly PlannedOrder[];

  constructor(orders: readonly PlannedOrder[]) {
    this.#orders = orders;
  }

  of(order: string): readonly WorldSubmission[] {
    return this.#all.filter((each) => each.order === order);
  }

  /** The order of a task; `""` if no response has named the task. */
  orderOf(task: string): string {
    return this.#all.find(({ taskId }) => taskId === task)?.order ?? "";
  }

  /** Called when the journal has a task. */
  record(taskId: string): void {
    for (const each of this.#all) if (each.taskId === taskId) each.isRecorded = true;
  }

  /** Called before a POST is sent. Sets the outcome of the task, so that it does not depend on the order of requests. */
  begin(sender: WorldSubmission["sender"], sent: Headers, body: string) {
    const order = orderIn(body, this.#orders);
    const headers = new Headers(sent);
    const isFirst = order !== undefined && this.of(order.id).length === 0;
    if (isFirst) headers.set("X-Emulator-Outcome", JSON.stringify(order.outcome));
    const submission: WorldSubmission = {
      order: order?.id ?? "",
      sender,
      received: "nothing",
      taskId: null,
      receivedAtStep: 0,
      isRecorded: false,
    };
    this.#all.push(submission);
    return {
      submission,
      content: { method: "POST", headers, body },
      async end(response: Response): Promise<void> {
        const text = await response.text();
        // Also of a response that is cut after the ID.
        submission.taskId = /"task_id":"([^"]+)"/.exec(text)?.[1] ?? null;
        submission.receivedAtStep = sender.steps;
        submission.received = received(response.status, submission.taskId !== null && isJson(text));
      },
    };
  }
}

/** The order whose ID a text contains. `order-1` is not in `order-12`. */
export function orderIn<Each extends Pick<Order, "id">>(
  text: string,
  orders: readonly Each[],
): Each | undefined {
  const ids = text.match(/order-\d+/g);
  return orders.find(({ id }) => ids?.includes(id));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A program may not find the ID of the task in a response that was cut. A gateway sends a 408 that may have forwarded the request. */
function received(status: number, hasTask: boolean): Post["received"] {
  if (status >= 200 && status < 300 && hasTask) return "task";
  if (status === 429) return "limited";
  return status >= 400 && status < 500 && status !== 408 ? "refusal" : "unknown";
}

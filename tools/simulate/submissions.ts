import type { Order } from "./plan.js";

/** One POST of a process, and the outcome that the process has received. */
export interface Submission {
  key: string;
  process: string;
  fate: "open" | "refused" | "accepted" | "unknown";
  taskId: string | null;
}

/** All submissions. A duplicate POST, the first property, is reported at once. */
export interface Submissions {
  /** Called before a POST is sent. */
  leave(
    process: string,
    request: Request,
  ): Promise<{ content: RequestInit; arrive(response: Response): Promise<void> }>;
  of(key: string): readonly Submission[];
}

export function createSubmissions(
  orders: readonly Order[],
  trace: (text: string) => void,
  violate: (text: string) => void,
): Submissions {
  const all: Submission[] = [];
  const of = (key: string) => all.filter((each) => each.key === key);

  return {
    of,
    async leave(process, request) {
      const body = await request.text();
      const order = orders.find((each) => JSON.stringify(each.request) === body);
      if (order === undefined) throw new Error("Invariant: every submission belongs to an order.");
      const { key, outcome } = order;
      const earlier = of(key).find(({ fate }) => fate !== "refused");
      if (earlier !== undefined) {
        violate(`${key} was submitted by ${process}, after ${earlier.process} had (${earlier.fate})`);
      }
      trace(`${process} submits ${key}`);
      const submission: Submission = { key, process, fate: "open", taskId: null };
      all.push(submission);

      const headers = new Headers(request.headers);
      headers.set("X-Emulator-Outcome", JSON.stringify(outcome));
      return {
        content: { method: "POST", headers, body },
        async arrive(response) {
          submission.taskId = await taskIdOf(response);
          submission.fate = fateOf(response.status, submission.taskId);
          trace(`${process} receives the outcome of ${key}: ${submission.fate}`);
        },
      };
    },
  };
}

function fateOf(status: number, taskId: string | null): Submission["fate"] {
  if (status >= 200 && status < 300 && taskId !== null) return "accepted";
  return status >= 400 && status < 500 ? "refused" : "unknown";
}

/** The id in a response, also if the response is cut after it. */
async function taskIdOf(response: Response): Promise<string | null> {
  return /"task_id":"([^"]+)"/.exec(await response.text())?.[1] ?? null;
}

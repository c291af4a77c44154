import { ask, controlPlane, messageOf, type Sent, type TaskDetails } from "../../client/client.js";
import { advance } from "../../frame/clock.js";
import { now } from "../../live/now.js";
import { Act } from "../../parts/form.js";
import { taskOf } from "./task-of.js";

const HOUR_MS = 3_600_000;

/** What can be done with a task that is open: only a read of it moves it. */
export function TaskActs({ details }: { details: TaskDetails }) {
  const { status, task_id: taskId, created_at: createdAt } = taskOf(details);
  if (status !== "pending" && status !== "running") return null;
  const { ends_at: endsAt, ends_at_read: endsAtRead } = details.plan;
  const read = () => readTask(details.account_id, taskId);
  const end = endsAt === null ? Date.parse(createdAt ?? "") + HOUR_MS + 1 : Date.parse(endsAt);
  const skip = async () => {
    await advance(Math.max(0, Math.ceil((end - now.peek()) / 1000)));
    await read();
  };
  return (
    <div class="buttons">
      <Act onAct={read}>Read it now</Act>
      {endsAtRead === null && (
        <Act onAct={skip}>{endsAt === null ? "Skip past its hour" : "Skip to its end"}</Act>
      )}
    </div>
  );
}

async function readTask(accountId: string, taskId: string): Promise<void> {
  expectSuccess(await send(accountId, { method: "GET", path: `/api/v1/task/${taskId}` }));
}

/** A request to the API in an account's name. */
export async function send(
  accountId: string,
  request: { method: "GET" | "POST"; path: string; body?: unknown; outcome?: { outcome: string } },
): Promise<Sent> {
  return ask(
    controlPlane.POST("/_emulator/accounts/{account_id}/requests", {
      params: { path: { account_id: accountId } },
      // The control plane checks it, and says in words what is wrong.
      body: request as never,
    }),
  );
}

/** @throws Error in the API's own words, where it refused */
export function expectSuccess({ ended, status, body }: Sent, note = ""): void {
  if (ended === "disconnect")
    throw new Error(`The connection broke before an answer came: a fault was armed.${note}`);
  if (ended === "stall") throw new Error("No answer ever came: a fault was armed.");
  if (status !== null && status < 300) return;
  const code = typeof body === "object" && body !== null && "error_code" in body ? ` ${body.error_code}` : "";
  const said = messageOf(body) ?? "the answer can't be read";
  throw new Error(`${status}${code}: ${said.replace(/\.$/, "")}.${note}`);
}

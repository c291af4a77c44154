import {
  AsyncMusic,
  BadRequestError,
  CreditCeilingError,
  InvalidRequestError,
  SubmissionOutcomeUnknownError,
  settleNotCreated,
} from "async-music";
import { budget, journal, type Order, pool, WORKING } from "./settings.ts";

const client = new AsyncMusic();

/** Longer than `settleNotCreated` leaves a request alone, which may still be in flight. */
const IN_FLIGHT_MS = 150_000;

/**
 * Submits an order, and stores what became of it. An order is charged at most once, however often it is submitted. After an error
 * that may pass, it stays `new`, and `submitLeft` tries again.
 */
export async function submit({ id, tenant, description }: Order): Promise<void> {
  try {
    const { task_id } = await client.tasks.create(
      { model: "provider_a", task_type: "music", input: { gpt_description_prompt: description } },
      { journal, journalKey: id, tenant, budget, probe: true },
    );
    await pool.query(
      "UPDATE shop_orders SET state = 'making', task_id = $2 WHERE id = $1 AND state IN ('new', 'unknown')",
      [id, task_id],
    );
  } catch (error) {
    if (error instanceof CreditCeilingError) {
      const { credits, spent, reserved, maxCredits } = error;
      const left = maxCredits - (spent ?? 0) - (reserved ?? 0);
      await end(id, "refused", `The song costs ${credits} credits, and ${left} of ${maxCredits} are left.`);
    } else if (error instanceof InvalidRequestError || error instanceof BadRequestError)
      await end(id, "refused", "Describe the song in other words.");
    else if (isUnknown(error)) await settle(id);
    else console.error(`${id} is tried again:`, error);
  }
}

/** Submits the orders that an outage or an earlier process has left, now and every five seconds. */
export async function submitLeft(states = ["new", "unknown"]): Promise<void> {
  try {
    const { rows } = await pool.query<Order>("SELECT * FROM shop_orders WHERE state = ANY($1)", [states]);
    await Promise.all(rows.map(submit));
  } catch (error) {
    console.error(error);
  }
  setTimeout(submitLeft, 5000, ["new"]);
}

/** Whether a task may exist, and neither another process nor another try will tell. */
function isUnknown(error: unknown): boolean {
  return (
    error instanceof SubmissionOutcomeUnknownError && error.taskId === null && error.checkAgainAt === null
  );
}

/**
 * The response was lost, or an earlier process was killed while it sent the order. Once the request is no longer in flight, the order
 * stays `new` if the request has certainly created no task.
 */
async function settle(id: string): Promise<void> {
  const { rows } = await pool.query<Order>("SELECT id FROM shop_orders");
  const open = await settleNotCreated(client, journal, { journalKeys: rows.map((order) => order.id) });
  const left = open.find(({ key }) => key === id);
  if (left === undefined || Date.now() - Date.parse(left.since) < IN_FLIGHT_MS) return;
  console.error(`${id}: find the task of request ${left.request_id}, then call settleOutcome.`);
  await end(id, "unknown", WORKING);
}

async function end(id: string, state: Order["state"], note: string): Promise<void> {
  await pool.query("UPDATE shop_orders SET state = $2, note = $3 WHERE id = $1", [id, state, note]);
}

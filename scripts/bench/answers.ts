import { createEmulator } from "async-music/emulator";
import { SONG } from "./songs.ts";

/** The two calls that all services of this kind have, under names of their own: hand in work, and look how far it is. */
export type CallName = "retrieve" | "create";

/** What a service answers: an HTTP status and JSON. */
export interface ServiceAnswer {
  status: number;
  text: string;
}

/** The headers of the answers of a service that counts requests, with so many left that nobody has to wait. */
export function createHeaders(): () => Record<string, string> {
  let remaining = 1_000_000_000;
  return () => ({ "Content-Type": "application/json", "X-RateLimit-Remaining": `${remaining--}` });
}

/** A service in this process that answers the same at once. */
export function serviceOf({ status, text }: ServiceAnswer): typeof fetch {
  const headers = createHeaders();
  return async () => new Response(text, { status, headers: headers() });
}

/** What the emulator answers to a create, and to a read of the finished song. Every library gets the same. */
export async function answers(): Promise<Record<CallName, ServiceAnswer>> {
  const emulator = createEmulator();
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  const url = `${emulator.url}/api/v1/task`;
  const create = await read(emulator.fetch(url, { method: "POST", headers, body: JSON.stringify(SONG) }));
  await emulator.clock.advance(600_000);
  const taskUrl = `${url}/${JSON.parse(create.text).data.task_id}`;
  return { create, retrieve: await read(emulator.fetch(taskUrl, { headers })) };
}

async function read(answer: Promise<Response>): Promise<ServiceAnswer> {
  const { status } = await answer;
  return { status, text: await (await answer).text() };
}

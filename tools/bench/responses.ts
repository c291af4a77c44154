import { createEmulator } from "async-music/emulator";
import { SONG } from "./songs.ts";

/** The two calls that all services of this kind have: create a task, and read its progress. */
export type CallName = "retrieve" | "create";

/** A service's response: an HTTP status and JSON. */
export interface ServiceResponse {
  status: number;
  text: string;
}

/** Rate-limit headers with so many requests left that no request has to wait. */
export function createHeaders(): () => Record<string, string> {
  let remaining = 1_000_000_000;
  return () => ({ "Content-Type": "application/json", "X-RateLimit-Remaining": `${remaining--}` });
}

/**
 * The body for a request. Only the task ID differs: a create returns a new one, since a client accepts each ID for one
 * submission only.
 */
export function createBodies({ status, text }: ServiceResponse): (path: string) => string {
  const taskId = /"task_id":"([^"]+)"/.exec(text)?.[1];
  // The responses of other services name no task.
  if (taskId === undefined) return () => text;
  const [before = "", after = ""] = text.split(taskId);
  let created = 0;
  return (path) =>
    before + (status === 202 ? `task-${created++}` : path.slice(path.lastIndexOf("/") + 1)) + after;
}

/** A service in this process that responds at once. */
export function serviceOf(response: ServiceResponse): typeof fetch {
  const headers = createHeaders();
  const bodyOf = createBodies(response);
  const { status } = response;
  return async (input) => {
    const path = input instanceof Request ? input.url : String(input);
    return new Response(bodyOf(path), { status, headers: headers() });
  };
}

/** The emulator's responses to a create and to a read of the finished song. Every library receives the same. */
export async function responses(): Promise<Record<CallName, ServiceResponse>> {
  const emulator = createEmulator();
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  const url = `${emulator.url}/api/v1/task`;
  const create = await read(emulator.fetch(url, { method: "POST", headers, body: JSON.stringify(SONG) }));
  await emulator.clock.advance(600_000);
  const taskUrl = `${url}/${JSON.parse(create.text).data.task_id}`;
  return { create, retrieve: await read(emulator.fetch(taskUrl, { headers })) };
}

async function read(response: Promise<Response>): Promise<ServiceResponse> {
  const { status } = await response;
  return { status, text: await (await response).text() };
}

import { AsyncMusic } from "async-music";
import type { Emulator } from "async-music/emulator";

export const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } } as const;

/** Creates a song, and reads it twice at the same time, which breaks a rule of the service. */
export async function pollTwice(
  emulator: Emulator,
  { apiKey = emulator.apiKey, client = new AsyncMusic(emulator.connection({ apiKey })) } = {},
): Promise<void> {
  const { task_id } = await client.tasks.create(SONG);
  await readTwice({ ...emulator, apiKey }, task_id);
}

export async function readTwice({ fetch, url, apiKey }: Emulator, taskId: string): Promise<void> {
  const headers = { "x-api-key": apiKey, "X-Request-Id": "hasty" };
  for (let reads = 0; reads < 2; reads++) await fetch(`${url}/api/v1/task/${taskId}`, { headers });
}

import type { Emulator } from "async-music/emulator";

export async function readTwice({ fetch, url, apiKey }: Emulator, taskId: string): Promise<void> {
  const headers = { "x-api-key": apiKey, "X-Request-Id": "hasty" };
  await fetch(`${url}/api/v1/task/${taskId}`, { headers });
  await fetch(`${url}/api/v1/task/${taskId}`, { headers });
}

import { type AsyncMusic, TaskFailedError, type TaskRequest } from "async-music";

/** Creates a song for each verse. Returns its URL, or the reason of the failure. */
export async function sing(client: AsyncMusic, verses: readonly string[]): Promise<string[]> {
  const requests = verses.map(
    (prompt) =>
      ({ model: "provider_a", task_type: "music", input: { prompt } }) as const satisfies TaskRequest,
  );
  const songs: string[] = [];
  for await (const { index, task, error } of client.tasks.runAll(requests)) {
    if (error !== undefined && !(error instanceof TaskFailedError)) throw error;
    songs[index] = task?.output.result[0]?.audio_url ?? `silence: ${error?.errorCode}`;
  }
  return songs;
}

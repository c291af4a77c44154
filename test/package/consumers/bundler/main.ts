import { AsyncMusic, type Clip, isLyrics, type Task } from "async-music";
import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";

const emulator = createEmulator();
const client = new AsyncMusic(emulator.connection());

export const handlers: number = emulatorHandlers(emulator).length;
export const text: Promise<string> = client.tasks
  .run({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain in Lisbon" } })
  .then((task) => task.output.result.text);

export function clipsOf(task: Task): readonly Clip[] {
  if (task.type === "music" && task.status === "success") return task.output.result;
  if (isLyrics(task) && task.status === "success") throw new Error(task.output.result.text);
  if (task.status === "failure" || task.status === "timeout") throw new Error(task.error ?? task.status);
  return [];
}

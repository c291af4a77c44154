import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";

const emulator = createEmulator();
const client = new AsyncMusic(emulator.connection());

export const handlers: number = emulatorHandlers(emulator).length;
export const text: Promise<string> = client.tasks
  .run({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain in Lisbon" } })
  .then((task) => task.output.result.text);

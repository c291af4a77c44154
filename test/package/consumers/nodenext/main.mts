import { AsyncMusic, TaskFailedError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { serve } from "async-music/emulator/node";
import { saveAudio } from "async-music/node";

await using emulator = createEmulator({ seed: 1 });
const client = new AsyncMusic(emulator.connection());
const song = await client.tasks.run({
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
});
const [clip] = song.output.result;
const path = clip === undefined ? "" : await saveAudio(await client.audio.download(clip), "rain");
const { url, close } = await serve(emulator, { port: 0 });
const words: string = `${path} ${url} ${emulatorHandlers(emulator).length} ${new Error() instanceof TaskFailedError}`;
await close();

export { words };

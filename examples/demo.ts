/**
 * A song, end to end, without an account or a network: the emulator runs in this process, on a clock that skips idle
 * time.
 *
 * Run it with `npm run demo -- "a lullaby for a lighthouse"`.
 */

import { AsyncMusic, type Task } from "async-music";
import { createEmulator } from "async-music/emulator";
import { saveAudio } from "async-music/node";

const description = process.argv[2] ?? "rain in Lisbon, slow fado with a guitar";

await using emulator = createEmulator({ seed: 1, credits: 100 });
const client = new AsyncMusic(emulator.connection());
const startedAt = emulator.clock.now();

console.log("This is the emulator: nothing is billed, and its clock skips idle time.");
console.log(`Requesting "${description}" from provider_a.`);
const song = await client.tasks.run(
  {
    model: "provider_a",
    task_type: "music",
    audio_format: "mp3",
    input: { gpt_description_prompt: description },
  },
  {
    onSubmitted: ({ task_id, credits_charged }) =>
      say(`task ${task_id} is accepted, ${credits_charged} credits are frozen`),
    onUpdate: (task) => say(progressOf(task)),
  },
);

console.log();
for (const clip of song.output.result) {
  const download = await client.audio.download(clip);
  const path = await saveAudio(download, `songs/${fileName(description)}`, { unique: true });
  console.log(`♪ "${clip.title}" (${clip.metadata?.duration} s): ${path}`);
}

const { available } = await client.account.balance();
console.log(`It cost ${song.credits_cost} credits (1 credit is 0.01 USD); ${available} are left.`);

function say(line: string): void {
  const seconds = Math.round((emulator.clock.now() - startedAt) / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  console.log(`${time.padStart(6)}  ${line}`);
}

function progressOf({ status, output }: Task): string {
  const progress = output?.progress ?? "";
  return progress === "" || status === "success" ? status : `${status}, ${progress}`;
}

function fileName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
}

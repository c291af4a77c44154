/**
 * Uploads a recording, continues it, and joins the parts to one song. After a crash, start it again with the same address: it
 * continues, and no step is charged twice.
 *
 * Run it with `npx node examples/continuation.ts https://example.com/hummed.wav`.
 */

import { AsyncMusic, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { fileJournal, saveAudio } from "async-music/node";

// The emulator in this process, unless there is a key for the service.
const hasKey = process.env["ASYNC_MUSIC_API_KEY"] !== undefined;
const client = new AsyncMusic(hasKey ? {} : createEmulator().connection());
// The tasks of an emulator end with this process: so does their journal.
const journal = hasKey ? fileJournal("songs/continuation.journal") : memoryJournal();

// An address that the service can reach: the public internet, http or https.
const url = process.argv[2] ?? "https://example.com/hummed.wav";
const step = (name: string) => ({ journal, journalKey: `${name} ${url}`, probe: true });

const upload = await client.tasks.run(
  { model: "provider_a", task_type: "upload", input: { url } },
  step("upload"),
);
const hummed = firstOf(upload.output.result);
console.log(`Uploaded: clip ${hummed.id}`);

const continuation = await client.tasks.run(
  {
    model: "provider_a",
    task_type: "music",
    input: { continue_clip_id: hummed.id, continue_at: 20, prompt: "[Chorus] and the tide comes in again" },
  },
  step("continuation"),
);
const continued = firstOf(continuation.output.result);
console.log(`Continued: clip ${continued.id}, ${continued.metadata?.duration} s`);

const concat = await client.tasks.run(
  { model: "provider_a", task_type: "concat", audio_format: "mp3", input: { clip_id: continued.id } },
  step("concat"),
);
const whole = firstOf(concat.output.result);
const download = await client.audio.download(whole);
console.log(`Joined: ${await saveAudio(download, `songs/${whole.id}`, { overwrite: true })}`);

const cost = [upload, continuation, concat].reduce((sum, { credits_cost }) => sum + credits_cost, 0);
console.log(`It cost ${cost} credits.`);

function firstOf<Clip>([clip]: readonly Clip[]): Clip {
  if (clip === undefined) throw new Error("The task succeeded without a clip.");
  return clip;
}

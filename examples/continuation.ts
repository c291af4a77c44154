/**
 * Uploads a recording, continues it, and joins the parts to one song.
 *
 * Run it with `npx node examples/continuation.ts https://example.com/hummed.wav`.
 */

import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { saveAudio } from "async-music/node";

// The emulator in this process, unless there is a key for the service.
const client = new AsyncMusic(process.env["ASYNC_MUSIC_API_KEY"] ? {} : createEmulator().connection());

const upload = await client.tasks.run({
  model: "provider_a",
  task_type: "upload",
  // An address that the service can reach: the public internet, http or https.
  input: { url: process.argv[2] ?? "https://example.com/hummed.wav" },
});
const hummed = firstOf(upload.output.result);
console.log(`Uploaded: clip ${hummed.id}`);

const continuation = await client.tasks.run({
  model: "provider_a",
  task_type: "music",
  input: { continue_clip_id: hummed.id, continue_at: 20, prompt: "[Chorus] and the tide comes in again" },
});
const continued = firstOf(continuation.output.result);
console.log(`Continued: clip ${continued.id}, ${continued.metadata?.duration} s`);

const concat = await client.tasks.run({
  model: "provider_a",
  task_type: "concat",
  audio_format: "mp3",
  input: { clip_id: continued.id },
});
const whole = firstOf(concat.output.result);
const download = await client.audio.download(whole);
console.log(`Joined: ${await saveAudio(download, `songs/${whole.id}`, { overwrite: true })}`);

const cost = [upload, continuation, concat].reduce((sum, { credits_cost }) => sum + credits_cost, 0);
console.log(`It cost ${cost} credits.`);

function firstOf<Clip>([clip]: readonly Clip[]): Clip {
  if (clip === undefined) throw new Error("The task succeeded without a clip.");
  return clip;
}

/**
 * Creates lyrics, a song from them, and saves its audio.
 *
 * Run it with `npx node examples/lyrics-to-song.ts "a lighthouse that is afraid of the dark"`.
 */

import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { saveAudio } from "async-music/node";

// The emulator in this process, unless there is a key for the service.
const client = new AsyncMusic(process.env["ASYNC_MUSIC_API_KEY"] ? {} : createEmulator().connection());

const lyrics = await client.tasks.run({
  model: "provider_a",
  task_type: "lyrics",
  input: { prompt: process.argv[2] ?? "a lighthouse that is afraid of the dark" },
});
const { title, text } = lyrics.output.result;
console.log(`${title}\n\n${text}\n`);

const song = await client.tasks.run({
  model: "provider_a",
  task_type: "music",
  audio_format: "mp3",
  input: { prompt: text, title, tags: "folk, accordion" },
});
for (const clip of song.output.result) {
  const download = await client.audio.download(clip);
  console.log(await saveAudio(download, `songs/${clip.id}`, { overwrite: true }));
}

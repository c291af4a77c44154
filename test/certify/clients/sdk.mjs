// One song with this SDK: the client that the guide shows.
import { join } from "node:path";
import { AsyncMusic } from "async-music";
import { saveAudio } from "async-music/node";

const client = new AsyncMusic({ logLevel: "off" });
const task = await client.tasks.run({
  model: "provider_a",
  task_type: "music",
  audio_format: "mp3",
  input: { gpt_description_prompt: "rain in Lisbon" },
});
for (const clip of task.output.result)
  console.log(
    await saveAudio(await client.audio.download(clip), join(process.env.ASYNC_MUSIC_OUT_DIR, clip.id)),
  );

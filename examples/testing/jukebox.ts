import { AsyncMusic } from "async-music";

/** Reads its options from the environment: it has no way to inject a client. */
export async function order(mood: string): Promise<{ title: string | undefined; url: string }> {
  const client = new AsyncMusic();
  const { output } = await client.tasks.run({
    model: "provider_b",
    task_type: "music",
    input: { prompt: mood },
  });
  const [clip] = output.result;
  if (clip === undefined) throw new Error("There is no clip");
  return { title: clip.title, url: clip.audio_url };
}

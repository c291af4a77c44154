import { join } from "node:path";
import type { Client } from "../../../cli/certify/client.js";
import { AsyncMusic } from "../../../src/index.js";
import { saveAudio } from "../../../src/node/index.js";

/** This SDK, in this process: on the virtual clock of its service. */
export const sdkClient: Client = async (createService, outDirectory) => {
  const service = createService();
  const options = { ...service.emulator.connection(), fetch: service.fetch, logLevel: "off" } as const;
  const client = new AsyncMusic(options);
  const ended = { isStopped: false, stdout: "" };
  try {
    const task = await client.tasks.run({
      model: "provider_a",
      task_type: "music",
      audio_format: "mp3",
      input: { gpt_description_prompt: "rain in Lisbon" },
    });
    for (const clip of task.output.result)
      await saveAudio(await client.audio.download(clip), join(outDirectory, clip.id));
    return { service, ended: { ...ended, status: 0, stderr: "" } };
  } catch (error) {
    return { service, ended: { ...ended, status: 1, stderr: String(error) } };
  }
};

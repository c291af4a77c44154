// Written for the usual case: no status is checked, and an error is printed and forgotten.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const { ASYNC_MUSIC_BASE_URL: baseUrl, ASYNC_MUSIC_API_KEY: key, ASYNC_MUSIC_OUT_DIR: folder } = process.env;
const headers = { "x-api-key": key, "Content-Type": "application/json" };
const order = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
};

async function main() {
  const body = JSON.stringify(order);
  const created = await (await fetch(`${baseUrl}/api/v1/task`, { method: "POST", headers, body })).json();
  let task;
  do {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const response = await fetch(`${baseUrl}/api/v1/task/${created.data.task_id}`, { headers });
    task = (await response.json()).data;
  } while (["pending", "running"].includes(task.status));
  const [{ title, audio_url: url }] = task.output.result;
  const audio = await fetch(url, { headers });
  const path = join(folder, `${title}.mp3`);
  await writeFile(path, Buffer.from(await audio.arrayBuffer()));
  console.log(path);
}

main().catch(console.error);

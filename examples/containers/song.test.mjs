import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

const { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: key } = process.env;
const song = { model: "provider_a", task_type: "music", input: { tags: "polka" } };

async function send(method, path, body) {
  const headers = { "x-api-key": key, "Content-Type": "application/json" };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  assert.ok(response.ok, `${method} ${path}: ${await response.clone().text()}`);
  return response.status === 204 ? null : response.json();
}

/** Creates a task that ends at its first read, and reads it. */
async function createSong(outcome) {
  await send("POST", "/_emulator/providers/provider_a/next", { ...outcome, polls: 1 });
  const { data } = await send("POST", "/api/v1/task", song);
  return (await send("GET", `/api/v1/task/${data.task_id}`)).data;
}

afterEach(async () => {
  assert.deepEqual(await send("GET", "/_emulator/audit"), { findings: [] });
});

test("the audio of a song can be downloaded", async () => {
  const { output } = await createSong({});
  const audio = await fetch(output.result[0].audio_url);
  assert.match(audio.headers.get("Content-Type"), /^audio\//);
  assert.ok((await audio.bytes()).length > 10_000);
});

test("a failed song is refunded", async () => {
  const before = await send("GET", "/api/v1/account/balance");
  const { status } = await createSong({ outcome: "failure", error_code: "content_moderation" });
  assert.equal(status, "failure");
  assert.deepEqual(await send("GET", "/api/v1/account/balance"), before);
});

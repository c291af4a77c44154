/**
 * Measures the heap and the resident memory of a process with 100,000 tasks and as many logged requests. Run it with
 * `npm run bench:memory`, after a build.
 */

import { createEmulator } from "async-music/emulator";

const TASKS = 100_000;

/** The target for all of them. */
const MOST_MEGABYTES = 400;

const emulator = createEmulator({ credits: 10 * TASKS, limits: { requests: 10 * TASKS } });
const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
const before = measure();
for (let number = 0; number < TASKS; number++) {
  const input = { gpt_description_prompt: `rain in Lisbon, take ${number}` };
  const body = JSON.stringify({ model: "provider_a", task_type: "music", input });
  const response = await emulator.fetch(`${emulator.url}/api/v1/task`, { method: "POST", headers, body });
  await response.arrayBuffer();
}
const after = measure();
const held = emulator.accounts.get(emulator.accountId).usage.tasks_created;
console.table({ before, [`${held} tasks`]: after });
if (after.rss > MOST_MEGABYTES) {
  console.error(`Expected less than ${MOST_MEGABYTES} MB, got ${after.rss} MB`);
  process.exitCode = 1;
}

/** Megabytes. Runs garbage collection first, if it can be called. */
function measure(): { rss: number; heap: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: Math.round(rss / 1e6), heap: Math.round(heapUsed / 1e6) };
}

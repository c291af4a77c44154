/**
 * Many songs, a few at a time, with a progress bar and a limit of their cost.
 *
 * Run it with `npx node examples/batch.ts`.
 */

import {
  AsyncMusic,
  CreditCeilingError,
  memoryJournal,
  type RunAllProgress,
  type TaskRequest,
} from "async-music";
import { createEmulator } from "async-music/emulator";

// The emulator in this process, unless there is a key for the service.
const client = new AsyncMusic(process.env["ASYNC_MUSIC_API_KEY"] ? {} : createEmulator().connection());

const moods = ["calm", "merry", "lost", "proud", "sleepy", "brave", "shy", "wild"];
const requests = moods.map(
  (prompt) => ({ model: "provider_b", task_type: "music", input: { prompt } }) as const satisfies TaskRequest,
);

const songs = client.tasks.runAll(requests, {
  concurrency: 4,
  maxCredits: 35,
  onProgress: draw,
  // With `fileJournal`, a repeated run continues after a crash.
  journal: memoryJournal(),
  journalKey: ({ input }) => `moods/${input.prompt}`,
});
for await (const { request, task, error } of songs) {
  const { prompt } = request.input;
  if (task) say(`${prompt}: ${task.output.result[0]?.audio_url}`);
  else if (error instanceof CreditCeilingError) say(`${prompt}: left out, the ceiling is reached`);
  else say(`${prompt}: ${error}`);
}
say(`${(await client.account.balance()).available} credits are left.`);

function draw({ total, succeeded, failed, waitingUntil }: RunAllProgress): void {
  if (!process.stdout.isTTY) return;
  const over = succeeded + failed;
  const bar = "#".repeat(over).padEnd(total ?? over, ".");
  const pause = waitingUntil && `, waiting for the rate limit until ${waitingUntil.toLocaleTimeString()}`;
  process.stdout.write(`\r\u001b[K[${bar}] ${over} of ${total}${pause ?? ""}`);
}

/** Replaces the bar's line; the bar is drawn again below. */
function say(line: string): void {
  console.log(process.stdout.isTTY ? `\r\u001b[K${line}` : line);
}

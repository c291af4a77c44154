import type { SucceededTask } from "../../index.js";
import { stylesFor } from "../terminal/colour.js";
import { writeJson } from "../terminal/json.js";
import { minutesOf, plain, usdOf } from "../terminal/words.js";
import { type Attended, attendTask, type Begin } from "./attend-task.js";
import { choosePlace, type Place } from "./place.js";
import { type SavedFile, saveResult } from "./save-result.js";

/** Waits for a task as a person is to see it, and saves what it made. */
export async function watchTask(attended: Attended, begin: Begin<SucceededTask>): Promise<void> {
  const { download, out } = attended.flags;
  const place = download ? await choosePlace(out) : null;
  await attendTask(attended, begin, (task, signal) => deliver(attended, task, place, signal));
}

/** Writes the results: files and their paths, or what stands for them where nothing is to be saved. */
async function deliver(
  { client, flags, surroundings }: Attended,
  task: SucceededTask,
  place: Place | null,
  signal: AbortSignal,
): Promise<void> {
  const { stdout, stderr, env } = surroundings;
  const style = stylesFor(stderr, env);
  stderr.write(
    `${style("green", "Done.")} It cost ${task.credits_cost} credits (${usdOf(task.credits_cost)}).\n`,
  );
  const files: SavedFile[] = [];
  if (place !== null) {
    for await (const { file, title, seconds } of saveResult(client, task, place, signal)) {
      files.push(file);
      const length = seconds === undefined ? "" : `, ${minutesOf(seconds)}`;
      if (title !== undefined) stderr.write(`${style("bold", plain(title))}${length}\n`);
      if (!flags.json) stdout.write(`${file.path}\n`);
    }
  } else if (!flags.json) {
    stdout.write(textOf(task));
  }
  if (flags.json) writeJson(stdout, { task, files });
}

function textOf({ output: { result } }: SucceededTask): string {
  if (Array.isArray(result)) return result.map(({ audio_url: url }) => `${plain(url)}\n`).join("");
  return `${plain(result.text).trimEnd()}\n`;
}

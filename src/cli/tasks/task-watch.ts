import { printable, printableLine } from "../../contract/text.js";
import { isLyrics, type SucceededTask } from "../../index.js";
import { stylesFor } from "../terminal/colour.js";
import { writeJson } from "../terminal/json.js";
import { minutesOf, usdOf } from "../terminal/words.js";
import { type Attended, attendTask, type Begin } from "./attend-task.js";
import { choosePlace, type Place } from "./place.js";
import { clipsOf, type SavedFile, saveResult } from "./save-result.js";

/** Waits for a task as a person is to see it, and saves what it made. */
export async function watchTask(attended: Attended, begin: Begin<SucceededTask>): Promise<void> {
  const { download, out, force = false } = attended.flags;
  const place = download ? await choosePlace(out, { type: attended.type, force }) : null;
  await attendTask(attended, begin, (task, signal, wasCharged) => {
    attended.surroundings.stderr.write(`${endOf(attended, task, wasCharged)}\n`);
    return deliver(attended, task, place, signal);
  });
}

/** Says that the task is done. Under a journal's key, an earlier run may have paid for it. */
function endOf(
  { flags, surroundings }: Attended,
  { credits_cost: credits }: SucceededTask,
  wasCharged: boolean,
) {
  const style = stylesFor(surroundings.stderr, surroundings.env);
  const price = `${credits} credits (${usdOf(credits)})`;
  const isEarlier = flags.journal !== undefined && !wasCharged;
  const cost = isEarlier ? `An earlier run with this key paid ${price} for it.` : `It cost ${price}.`;
  return `${style("green", "Done.")} ${cost}`;
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
  const files: SavedFile[] = [];
  if (place !== null) {
    for await (const { file, title, seconds, isNew } of saveResult(client, task, place, signal)) {
      files.push(file);
      const length = seconds === undefined ? "" : `, ${minutesOf(seconds)}`;
      const note = isNew ? "" : ", saved before";
      if (title !== undefined) stderr.write(`${style("bold", printableLine(title))}${length}${note}\n`);
      if (!flags.json) stdout.write(`${file.path}\n`);
    }
  } else if (!flags.json) {
    stdout.write(textOf(task));
  }
  if (flags.json) writeJson(stdout, { task, files });
}

function textOf(task: SucceededTask): string {
  const clips = clipsOf(task);
  if (clips !== null) return clips.map(({ audio_url: url }) => `${printableLine(url)}\n`).join("");
  const text = isLyrics(task) ? task.output.result.text : JSON.stringify(task.output.result);
  return `${printable(text).trimEnd()}\n`;
}

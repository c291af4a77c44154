import { mkdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { ignoring } from "../../src/node/durable.js";
import type { PlannedLine } from "./plan.js";
import type { LineResult } from "./results.js";

/** A file that an earlier attempt of a line has saved, and that would be taken for a result of the next attempt. */
export interface EarlierFile {
  name: string;
  attempt: number;
}

/** The files of earlier attempts of the lines that are still to be ordered. */
export function findEarlierFiles(
  lines: readonly PlannedLine[],
  results: ReadonlyMap<string, LineResult>,
): EarlierFile[] {
  return lines.flatMap(({ id, attempt, entry, hopelessTaskId }) => {
    const earlier = results.get(id);
    const isNew = entry === null && hopelessTaskId === null;
    if (!isNew || earlier === undefined || !(earlier.attempt < attempt)) return [];
    return earlier.files.map(({ path }) => ({ name: basename(path), attempt: earlier.attempt }));
  });
}

/** Moves each file into the directory `attempt-N`, since it is paid for and may exist nowhere else. */
export async function moveEarlierFiles(files: readonly EarlierFile[], out: string): Promise<void> {
  for (const { name, attempt } of files) {
    const directory = join(out, `attempt-${attempt}`);
    await mkdir(directory, { recursive: true });
    await rename(join(out, name), join(directory, name)).catch(ignoring("ENOENT"));
  }
}

import { createPolicy } from "../core/policy.js";
import type { Policy } from "../core/policy-fields.js";
import type { Plan } from "./plan.js";
import type { Line, Violation } from "./verdict.js";

/** The most lines of a timeline: a screen. */
const MOST_LINES = 32;

/** What else a story says. */
export interface StoryNotes {
  /** The options that a repetition needs. */
  readonly inputs?: readonly string[];
  /** Whether the world was broken once, and not again. */
  readonly isUnique?: boolean;
}

/** Tells a broken world: what is wrong, the timeline, and the code that repeats it. */
export function tellStory(
  seed: number,
  plan: Plan,
  violations: readonly Violation[],
  story: readonly Line[],
  { inputs = [], isUnique = false }: StoryNotes,
): string {
  const wrong = violations.map(({ check, detail }) => `  ${check}: ${detail}`);
  const options = inputs.length === 0 ? "" : `, { ${inputs.join(", ")} }`;
  return [
    `The world with seed ${seed} is broken:`,
    ...wrong,
    "",
    ...(isUnique
      ? [
          "The same world was not broken when it ran again. The program keeps state outside `start`, or uses real time or",
          "real I/O. Pass a function that creates the program for each world: `explore(() => app)`. The first run:",
        ]
      : ["The smallest such world:"]),
    ...timeline(story),
    "",
    "Repeat it in a test, with `replay` of async-music/emulator/worlds:",
    `  await replay(app, ${JSON.stringify(plan)}${options});`,
  ].join("\n");
}

/** Names the options that are not the default. */
export function describePolicy(policy: Policy): string {
  const defaults = new Map<string, unknown>(Object.entries(createPolicy(0)));
  const others = Object.entries(policy).filter(([name, value]) => defaults.get(name) !== value);
  return `has the policy ${JSON.stringify(Object.fromEntries(others))}`;
}

/** The beginning and the end of the story, without a block that is there in part. */
function timeline(story: readonly Line[]): string[] {
  const blocks = blocksOf(joinRepeated(story).map(textOf));
  const lines = blocks.flat();
  if (lines.length <= MOST_LINES) return lines;
  const half = MOST_LINES / 2;
  const first = longestBegin(blocks, half);
  const last = longestBegin(blocks.toReversed(), half).toReversed();
  const left = lines.length - first.flat().length - last.flat().length;
  return [...first.flat(), `${INDENT}… ${left} lines …`, ...last.flat()];
}

/** As many blocks as have at most so many lines. */
function longestBegin(blocks: readonly string[][], most: number): string[][] {
  let lines = 0;
  const end = blocks.findIndex((block) => {
    lines += block.length;
    return lines > most;
  });
  return blocks.slice(0, end);
}

const INDENT = " ".repeat(14);

/** A line of the timeline. What follows the time is equal in two lines that say the same. */
function textOf({ at, actor, text, times }: Line & { times: number }): string {
  const time = secondsOf(at).padStart(12);
  return `${time}  ${actor.padEnd(14)}  ${text}${times > 1 ? ` (${times} times)` : ""}`;
}

export function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The most lines of a block that is repeated, such as those of a life that fails at each start. */
const MOST_BLOCK = 12;

/** Blocks of lines. In place of its repetitions, a block says how often it follows once more. */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [];
  for (let index = 0; index < lines.length; ) {
    const [size, times] = repeatAt(lines, index);
    const block = lines.slice(index, index + size);
    const more = times === 2 ? "once more" : `${times - 1} times more`;
    if (times > 1) block.push(`${INDENT}… the same ${size} lines ${more} …`);
    blocks.push(block);
    index += size * times;
  }
  return blocks;
}

/** In a message, another one each time. */
const REQUEST_ID = /request ID [\w-]+/g;

/** The block that begins at a line, and how often it stands there: one line once, if nothing is repeated. */
function repeatAt(lines: readonly string[], index: number): [size: number, times: number] {
  const said = (at: number) => lines[at]?.slice(INDENT.length).replaceAll(REQUEST_ID, "");
  for (let size = 2; size <= MOST_BLOCK; size++) {
    let length = size;
    while (index + length < lines.length && said(index + length) === said(index + length - size)) length++;
    const times = Math.floor(length / size);
    if (times > 1) return [size, times];
  }
  return [1, 1];
}

/** Joins lines of a process that repeat what it did, such as the polls of a task. */
function joinRepeated(story: readonly Line[]): (Line & { times: number })[] {
  const joined: (Line & { times: number })[] = [];
  for (const line of story) {
    const last = joined.findLast(({ actor }) => actor === line.actor);
    if (last?.text === line.text) last.times++;
    else joined.push({ ...line, times: 1 });
  }
  return joined;
}

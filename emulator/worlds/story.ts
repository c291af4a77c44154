import type { Plan } from "./plan.js";
import type { Line, Violation } from "./verdict.js";

/** The most lines of a timeline: a screen. */
const MOST_LINES = 32;

/** Tells a broken world: what is wrong, the timeline, and the code that repeats it. */
export function tellStory(
  seed: number,
  plan: Plan,
  violations: readonly Violation[],
  story: readonly Line[],
): string {
  const wrong = violations.map(({ check, detail }) => `  ${check}: ${detail}`);
  return [
    `The world with seed ${seed} is broken:`,
    ...wrong,
    "",
    "The smallest such world:",
    ...timeline(story),
    "",
    "Repeat it in a test, with `replay` of async-music/emulator/worlds:",
    `  await replay(app, ${JSON.stringify(plan)});`,
  ].join("\n");
}

function timeline(story: readonly Line[]): string[] {
  const lines = joinRepeated(story).map(({ at, actor, text, times }) => {
    const time = `${(at / 1000).toFixed(1)} s`.padStart(12);
    return `${time}  ${actor.padEnd(14)}  ${text}${times > 1 ? ` (${times} times)` : ""}`;
  });
  if (lines.length <= MOST_LINES) return lines;
  const half = MOST_LINES / 2;
  return [
    ...lines.slice(0, half),
    `${" ".repeat(14)}… ${lines.length - 2 * half} lines …`,
    ...lines.slice(-half),
  ];
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

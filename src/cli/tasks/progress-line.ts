import { printable, printableLine } from "../../contract/text.js";
import { progressOf, type RateLimit, type Task } from "../../index.js";
import { stylesFor } from "../terminal/colour.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { minutesOf } from "../terminal/words.js";

const REDRAW_MS = 200;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const WIDEST_BAR = 30;
const CLEAR_LINE = "\r\u001B[2K";

/** Shows how far a task is: one line that is drawn again on a terminal, a line for each change of status elsewhere. */
export interface ProgressLine {
  show(task: Task): void;
  /** Says that a 429 pauses all requests until then. */
  pause(until: Date): void;
  /** Says something to people, above the line. */
  say(text: string): void;
  end(): void;
}

export function createProgressLine(
  { stderr, env }: Surroundings,
  now: () => number,
  rateLimit: () => RateLimit,
): ProgressLine {
  const style = stylesFor(stderr, env);
  const isLive = stderr.isTerminal && env["TERM"] !== "dumb";
  const startedAt = now();
  let shown: Task | null = null;
  let frame = 0;

  const draw = () => {
    const spinner = FRAMES[frame++ % FRAMES.length] ?? "";
    const elapsed = minutesOf((now() - startedAt) / 1000);
    const delay = delayedUntil(rateLimit(), now());
    const status = delay === null ? printableLine(shown?.status ?? "waiting") : delayWords(delay);
    const percent = shown === null ? 0 : Math.round(100 * progressOf(shown));
    const words = ` ${status}${percent === 0 ? "" : ` ${String(percent).padStart(3)} %`}  ${elapsed}`;
    const room = Math.min(WIDEST_BAR, stderr.columns - words.length - 4);
    const bar = percent === 0 || room < 5 ? "" : ` ${barOf(percent, room, style)}`;
    const line = spinner + words.slice(0, Math.max(0, stderr.columns - 2));
    stderr.write(`${CLEAR_LINE}${style("cyan", line.slice(0, 1))}${line.slice(1)}${bar}`);
  };
  const clear = () => {
    if (isLive) stderr.write(CLEAR_LINE);
  };
  const timer = isLive ? setInterval(draw, REDRAW_MS) : undefined;

  return {
    show(task) {
      const isNews = task.status !== shown?.status;
      shown = task;
      if (isLive) draw();
      else if (isNews)
        stderr.write(`${minutesOf((now() - startedAt) / 1000)} ${printableLine(task.status)}\n`);
    },
    pause(until) {
      if (isLive) draw();
      else stderr.write(`${minutesOf((now() - startedAt) / 1000)} ${delayWords(until)}\n`);
    },
    say(text) {
      clear();
      stderr.write(`${printable(text)}\n`);
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}

/** Until when the rate limit lets nothing leave: after a 429, or with the window used up. */
function delayedUntil({ heldUntil, remaining, resetAt }: RateLimit, now: number): Date | null {
  const until = heldUntil ?? (remaining === 0 ? resetAt : null);
  return until !== null && until.getTime() > now ? until : null;
}

/** In the local time of whoever waits. */
function delayWords(until: Date): string {
  const parts = [until.getHours(), until.getMinutes(), until.getSeconds()];
  return `waiting for the rate limit until ${parts.map((part) => String(part).padStart(2, "0")).join(":")}`;
}

function barOf(percent: number, room: number, style: ReturnType<typeof stylesFor>): string {
  const done = Math.round((percent / 100) * room);
  return style("cyan", "━".repeat(done)) + style("dim", "─".repeat(room - done));
}

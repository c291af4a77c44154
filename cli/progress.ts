import { printable, printableLine } from "../src/contract/text.js";
import { type PacerFactory, progressOf } from "../src/index.js";
import { createMemoryPacer } from "../src/rate-limit/memory-pacer.js";
import { minutesOf, stylesFor, type Terminal } from "./terminal.js";

const REDRAW_MS = 200;
/** A shorter delay is not shown, in milliseconds. */
const SHOWN_DELAY_MS = 1000;
/** Without a terminal, a smaller change of the end of a delay is not written, in milliseconds. */
const REPORTED_CHANGE_MS = 1000;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MAX_BAR_WIDTH = 30;
const CLEAR_LINE = "\r\u001B[2K";

/** The fields of a task that are shown. */
type Shown = Parameters<typeof progressOf>[0];

export type ProgressLine = ReturnType<typeof createProgressLine>;

/** Shows the progress of a task: one line that is redrawn on a terminal, else a line for each change of status. */
export function createProgressLine({ stderr, env }: Terminal, now: () => number) {
  const style = stylesFor(stderr, env);
  const isLive = stderr.isTerminal && env["TERM"] !== "dumb";
  const startedAt = now();
  const elapsed = () => minutesOf((now() - startedAt) / 1000);
  let shown: Shown | null = null;
  let pausedUntil: Date | null = null;
  let reportedUntil = 0;
  let frame = 0;

  const draw = () => {
    const columns = stderr.columns();
    const status =
      pausedUntil !== null && pausedUntil.getTime() > now()
        ? pauseText(pausedUntil)
        : printableLine(shown?.status ?? "waiting");
    const percent = shown === null ? 0 : Math.round(100 * progressOf(shown));
    const text = ` ${status}${percent === 0 ? "" : ` ${String(percent).padStart(3)} %`}  ${elapsed()}`;
    const barWidth = Math.min(MAX_BAR_WIDTH, columns - text.length - 4);
    const hasBar = percent > 0 && barWidth >= 5;
    const done = hasBar ? Math.round((percent / 100) * barWidth) : 0;
    const bar = ` ${style("cyan", "━".repeat(done))}${style("dim", "─".repeat(hasBar ? barWidth - done : 0))}`;
    const spinner = style("cyan", FRAMES[frame++ % FRAMES.length] ?? "");
    stderr.write(`${CLEAR_LINE}${spinner}${text.slice(0, Math.max(0, columns - 3))}${hasBar ? bar : ""}`);
  };
  const clear = () => {
    if (isLive) stderr.write(CLEAR_LINE);
  };
  let timer: ReturnType<typeof setInterval> | undefined;

  return {
    /** Redraws the line regularly, until `end`. */
    start() {
      if (isLive) timer = setInterval(draw, REDRAW_MS);
    },
    show(task: Shown) {
      const hasChanged = task.status !== shown?.status;
      shown = task;
      if (isLive) draw();
      else if (hasChanged) stderr.write(`${elapsed()} ${printableLine(task.status)}\n`);
    },
    /** Shows that the rate limit delays the command until then; with `null`, that it no longer does. */
    pause(until: Date | null) {
      pausedUntil = until;
      if (until === null) return;
      if (isLive) return draw();
      if (until.getTime() < reportedUntil + REPORTED_CHANGE_MS) return;
      reportedUntil = until.getTime();
      stderr.write(`${elapsed()} ${pauseText(until)}\n`);
    },
    /** Writes a message above the line. */
    say(text: string) {
      clear();
      stderr.write(`${printable(text)}\n`);
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}

function pauseText(until: Date): string {
  return `waiting for the rate limit until ${until.toTimeString().slice(0, 8)}`;
}

/**
 * A pacer that reports when the rate limit delays a request: with the time at which requests are expected to be sent again,
 * then with `null` when the request is sent.
 */
export function createObservedPacer(onDelay: ProgressLine["pause"]): PacerFactory {
  return (clock) => {
    const pacer = createMemoryPacer(clock);
    const observe = async (dueAt: number, signal: AbortSignal) => {
      let shownAt: number | null = dueAt + SHOWN_DELAY_MS;
      while (shownAt !== null) {
        await clock.sleep(shownAt - clock.now(), signal);
        const { heldUntil, resetAt } = pacer.rateLimit();
        const until = heldUntil ?? resetAt;
        if (until !== null && until > clock.now()) onDelay(new Date(until));
        shownAt = until === null ? null : Math.max(until, clock.now()) + SHOWN_DELAY_MS;
      }
    };
    return {
      ...pacer,
      async admit(request, signal) {
        const admission = new AbortController();
        const dueAt = Math.max(clock.now(), request.dueBy ?? request.notBefore ?? 0);
        // The sleep rejects as soon as the request is sent.
        observe(dueAt, admission.signal).catch(() => {});
        return pacer.admit(request, signal).finally(() => {
          admission.abort();
          onDelay(null);
        });
      },
    };
  };
}

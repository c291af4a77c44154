import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { link } from "../store.js";
import { formatCount, formatMs, formatTime } from "./format.js";
import { useKeptFocus } from "./kept-focus.js";

/** A part of a view, with its heading. */
export function Section(props: {
  title: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div class="heading">
        <h2 id={id}>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  );
}

/** Shown instead of an empty list, with what to do about it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Shown until the first data is there, in about the space that the data takes. */
export function Loading({ what }: { what: string }) {
  const isLost = link.value === "lost";
  return (
    <p class="loading" aria-busy={!isLost}>
      {isLost ? `No data of ${what} has arrived yet.` : `Loading ${what}…`}
    </p>
  );
}

export function Problem({ error }: { error: string | null }) {
  return error === null ? null : (
    <p role="alert" class="problem">
      {error}
    </p>
  );
}

/** Steps of the line below a figure. */
const STEPS = 24;

/** A number with what it counts, the link to its list, and the times of what it counts. */
export type Figure = readonly [
  name: string,
  value: number,
  note: ComponentChildren,
  list?: string,
  times?: string[],
];

/** Numbers. Their times are drawn as lines from `since` to the last time of all. */
export function Figures({ of, since }: { of: readonly Figure[]; since?: string | undefined }) {
  const begin = Date.parse(since ?? "");
  const end = Math.max(begin, ...of.map(([, , , , times]) => Date.parse(times?.at(-1) ?? "") || begin));
  return (
    <dl class="figures">
      {of.map(([name, value, note, list, times = []]) => (
        <div key={name}>
          <dt>{list === undefined ? name : <a href={list}>{name}</a>}</dt>
          <dd>
            <strong>{formatCount(value)}</strong> <small>{note}</small>
            {times.length > 0 && end > begin && <Line times={times} begin={begin} end={end} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How many of the times are in each part of the range. The figure says how many there are in all. */
function Line({ times, begin, end }: { times: readonly string[]; begin: number; end: number }) {
  const counts = Array.from({ length: STEPS }, () => 0);
  for (const time of times) {
    const step = Math.floor((STEPS * (Date.parse(time) - begin)) / (end - begin));
    const index = Math.min(Math.max(step, 0), STEPS - 1);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  const points = counts.map((count, index) => `${index},${10 - (9 * count) / most}`).join(" ");
  return (
    <svg class="line" viewBox={`0 0 ${STEPS - 1} 11`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points} />
    </svg>
  );
}

type Tone = "good" | "busy" | "idle" | "warn" | "bad";

const TONES: Readonly<Record<string, Tone>> = {
  success: "good",
  completed: "good",
  running: "busy",
  failure: "bad",
  refused: "bad",
  timeout: "bad",
};

/** A small colored label. The color is never the only sign. */
export function Mark({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`mark ${tone}`}>{children}</span>;
}

export function Status({ of }: { of: string }) {
  return <Mark tone={TONES[of] ?? "idle"}>{of}</Mark>;
}

export function HttpStatus({ status }: { status: number | null }) {
  if (status === null) return <Mark tone="bad">no response</Mark>;
  return <Mark tone={status < 300 ? "good" : status < 500 ? "warn" : "bad"}>{status}</Mark>;
}

/** A day and a time, in UTC; with `ms`, to the millisecond. */
export function Time({ at, ms = false }: { at: string | number; ms?: boolean }) {
  const iso = new Date(at).toISOString();
  const [day, time] = formatTime(at).split(" ");
  return (
    <time dateTime={iso} title={iso}>
      <span class="day">{day}</span> <span>{ms ? formatMs(at) : time}</span>
    </time>
  );
}

/** Text to copy. The children, if any, are the same text with marks. */
export function Code(props: { text: string; label: string; children?: ComponentChildren }) {
  const { text, label, children = text } = props;
  return (
    <figure class="code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <pre tabIndex={0}>
        <code>{children}</code>
      </pre>
      <CopyButton text={text} />
    </figure>
  );
}

/** While it is busy, it keeps the keyboard focus, which a disabled button loses. */
export function Button(props: ButtonHTMLAttributes & { isBusy?: boolean }) {
  const { class: classes = "small secondary", isBusy = false, ...rest } = props;
  const button = useKeptFocus<HTMLButtonElement>();
  return (
    <button
      type="button"
      ref={button}
      class={classes}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy}
      {...rest}
    />
  );
}

const COPIED_MS = 1500;

/** Absent where pages may not copy: on plain HTTP from another machine. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  if (!("clipboard" in navigator)) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <Button class="small quiet" onClick={() => void copy().catch(() => {})}>
      <span aria-live="polite">{isCopied ? "Copied" : label}</span>
    </Button>
  );
}

// biome-ignore-all lint/a11y/useSemanticElements: a separator that is moved has a value, which a line has not
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { shareAt } from "./drag.js";

const STORED = "async-music-pane";
const DEFAULT_PERCENT = 42;
const [LEAST, MOST] = [25, 75];
const STEP_PERCENT = 4;

/**
 * A list and, if one of its items is open, a pane beside it, as wide as the reader last made it. On a narrow screen only the pane, or
 * with `isListFirst` only the list.
 */
export function Split(props: { list: ComponentChildren; pane: ComponentChildren; isListFirst: boolean }) {
  const { list, pane, isListFirst } = props;
  const [percent, setPercent] = useState(() => Number(localStorage.getItem(STORED)) || DEFAULT_PERCENT);
  const resize = (wanted: number) => {
    const next = Math.round(Math.min(Math.max(wanted, LEAST), MOST));
    setPercent(next);
    localStorage.setItem(STORED, String(next));
  };
  if (pane === null)
    return (
      <div class="split" tabIndex={-1}>
        {list}
      </div>
    );
  return (
    <div
      tabIndex={-1}
      class={isListFirst ? "split open listed" : "split open"}
      style={{ "--pane": `${percent}%` }}
    >
      {list}
      <div
        role="separator"
        class="splitter"
        aria-label="Width of the pane"
        aria-orientation="vertical"
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        aria-valuenow={percent}
        tabIndex={0}
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={({ currentTarget, pointerId, clientX }) => {
          if (!currentTarget.hasPointerCapture(pointerId)) return;
          const { parentElement: split } = currentTarget;
          if (split !== null) resize(100 * (1 - shareAt(split, clientX)));
        }}
        onKeyDown={(event) => {
          const step = { ArrowLeft: STEP_PERCENT, ArrowRight: -STEP_PERCENT }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          resize(percent + step);
        }}
      />
      {pane}
    </div>
  );
}

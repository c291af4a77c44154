import { useRef, useState } from "preact/hooks";
import { LATEST_TIME } from "../../../core/ranges.js";
import { call } from "../../api.js";
import { Field } from "../../parts/controls.js";
import { Button, Time } from "../../parts/display.js";
import { Form } from "../../parts/form.js";
import { formatDuration, formatTime } from "../../parts/format.js";
import { now, overview, tasks } from "../../store.js";
import { changesUntil, EVENTS, eventsAfter, nextEvents } from "./events.js";
import { dateOf, momentOf } from "./moments.js";

const INVALID = `Enter a duration such as 8 days, or a date such as 2026-01-31 12:00. The latest date is ${formatTime(LATEST_TIME).slice(0, 10)}.`;

/** The emulator's time, and a popover that advances it. */
export function Clock() {
  const [isOpen, setOpen] = useState(false);
  // Each time, the form begins empty.
  const [closings, setClosings] = useState(0);
  const panel = useRef<HTMLDivElement>(null);
  const mode = overview.value?.clock;
  /** Afterwards the popover closes, and the focus returns to the clock. */
  const goTo = async (at: number | null) => {
    if (at === null) throw new Error(INVALID);
    if (at < now.peek()) throw new Error(`The time can't go back: it is ${formatTime(now.peek())} UTC.`);
    await call("POST /clock/advance", { seconds: (at - now.peek()) / 1000 });
    panel.current?.hidePopover();
  };
  return (
    <fieldset class="clock">
      <legend class="unseen">Clock</legend>
      <Button popovertarget="clock">
        <Time at={now.value} />{" "}
        <small>
          UTC <span class="mode">· {mode} clock</span>
        </small>
        <span class="unseen">. Advance the time</span>
      </Button>
      <div
        id="clock"
        ref={panel}
        popover="auto"
        class="popover"
        role="dialog"
        aria-label="Advance the time"
        onToggle={({ newState }) => {
          setOpen(newState === "open");
          if (newState === "closed") setClosings((before) => before + 1);
        }}
      >
        <Advance key={closings} isOpen={isOpen} goTo={goTo} />
      </div>
    </fieldset>
  );
}

/** To a duration from now or a date. The next events are dates to choose. */
function Advance({ isOpen, goTo }: { isOpen: boolean; goTo(at: number | null): Promise<void> }) {
  const [text, setText] = useState("");
  const events = isOpen ? eventsAfter(now.value, tasks.value, overview.value?.accounts ?? []) : [];
  const target = momentOf(text, now.value);
  const choose = (at: number, button: HTMLElement) => {
    setText(dateOf(at));
    button.closest("[popover]")?.querySelector("input")?.focus();
  };
  return (
    <>
      <Form submit="Advance" onSubmit={() => goTo(momentOf(text, now.peek()))}>
        <Field
          label="A duration, or a date in UTC"
          placeholder="8 days, 1h 30m, or 2026-01-31 12:00"
          required
          autofocus
          name="*"
          value={text}
          onChange={setText}
        />
        <div class="outlook" aria-live="polite">
          {target !== null && target >= now.value && (
            <Outlook at={target} changes={changesUntil(target, events)} />
          )}
        </div>
      </Form>
      <h3>Next event</h3>
      {isOpen && events.length === 0 && (
        <p class="hint">Nothing is due: no task is unfinished, and no audio expires.</p>
      )}
      <ul>
        {nextEvents(events).map(({ kind, at }) => (
          <li key={kind}>
            <Button class="small quiet" onClick={({ currentTarget }) => choose(at, currentTarget)}>
              {EVENTS[kind](events.filter((each) => each.kind === kind && each.at === at).length)}
            </Button>
            <small>in {formatDuration(at - now.value)}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Outlook({ at, changes }: { at: number; changes: readonly string[] }) {
  return (
    <p>
      To <Time at={at} /> UTC, {formatDuration(at - now.value)} from now:{" "}
      {changes.length === 0 ? "nothing changes" : changes.join(", ")}.
    </p>
  );
}

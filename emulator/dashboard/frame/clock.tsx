import { ask, controlPlane } from "../client/client.js";
import { now } from "../live/now.js";
import { overview } from "../live/store.js";
import { Act } from "../parts/form.js";
import { Time } from "../parts/time.js";

const STEPS = [
  ["+1 minute", 60],
  ["+1 hour", 3600],
  ["+7 days", 7 * 86_400],
] as const;

/** The emulator's time, and its ways forward. */
export function Clock() {
  const mode = overview.value?.clock;
  return (
    <fieldset class="clock">
      <legend class="unseen">Clock</legend>
      <span
        title={
          mode === "real" ? "It ticks with this machine's." : "It stands until somebody waits or moves it."
        }
      >
        <Time at={now.value} /> <small>UTC · {mode} clock</small>
      </span>
      {STEPS.map(([label, seconds]) => (
        <Act key={label} onAct={() => advance(seconds)}>
          {label}
        </Act>
      ))}
    </fieldset>
  );
}

export async function advance(seconds: number): Promise<void> {
  await ask(controlPlane.POST("/_emulator/clock/advance", { body: { seconds } }));
}

import { signal } from "@preact/signals";
import { overview } from "./store.js";

/** The emulator's time, in milliseconds since the epoch, as far as it is known between two looks at it. */
export const now = signal(0);

let heardAt = 0;

/** The time as it was just heard. */
export function setNow(iso: string): void {
  heardAt = performance.now();
  now.value = Date.parse(iso);
}

/** A real clock ticks on; a virtual one stands until somebody moves it. */
export function followTime(): void {
  setInterval(() => {
    if (overview.value?.clock !== "real") return;
    now.value = Date.parse(overview.value.now) + performance.now() - heardAt;
  }, 1000);
}

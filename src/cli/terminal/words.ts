import { USD_PER_CREDIT } from "../../contract/models.js";

/** Credits in US dollars. */
export function usdOf(credits: number): string {
  return `${(credits * USD_PER_CREDIT).toFixed(2)} USD`;
}

/** Minutes and seconds: `1:05`. */
export function minutesOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

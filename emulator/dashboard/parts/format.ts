const count = new Intl.NumberFormat("en-US");
const usd = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

export function formatCount(value: number): string {
  return count.format(value);
}

/** `1 credit`, `2,000 credits` */
export function formatAmount(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function formatUsd(value: number): string {
  return usd.format(value);
}

/** `2026-01-31 23:59:59`, in UTC. */
export function formatTime(iso: string | number): string {
  return new Date(iso).toISOString().slice(0, 19).replace("T", " ");
}

/** `23:59:59.123`, in UTC. */
export function formatMs(iso: string | number): string {
  return new Date(iso).toISOString().slice(11, 23);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** The two largest units: `6 days 23 hours`. */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const amount = Math.floor(left / seconds);
    left -= amount * seconds;
    if (amount > 0) parts.push(formatAmount(amount, unit));
  }
  return parts.length === 0 ? "0 seconds" : parts.slice(0, 2).join(" ");
}

export function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * A text from outside, in which no letter and no control character changes the direction of the text around it. A character in the text
 * that ends an isolation would also end that of an element.
 */
export function isolated(text: string): string {
  return /^[ -~]*$/.test(text) ? text : `\u2068${text.replaceAll(/[\u2066-\u2069]/g, "")}\u2069`;
}

/** The first characters of an ID, enough to tell IDs apart. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

import { formatTime } from "./format.js";

export function Time({ at }: { at: string | number }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {formatTime(at)}
    </time>
  );
}

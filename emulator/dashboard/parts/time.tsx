import { formatTime } from "./format.js";

export function Time({ at }: { at: string | number }) {
  const iso = new Date(at).toISOString();
  const [day, time] = formatTime(at).split(" ");
  return (
    <time dateTime={iso} title={iso}>
      <span class="day">{day} </span>
      {time}
    </time>
  );
}

/** Triplets at full swing: the second half of a span then begins after two thirds of it. */
const LATEST = 2 / 3;

/** The same events with the second half of every span of `spanBeats` coming late. */
export function swung<T extends { readonly start: number }>(
  events: readonly T[],
  amount: number,
  spanBeats: number,
): readonly T[] {
  if (amount === 0) return events;
  const middle = 0.5 + (LATEST - 0.5) * amount;
  return events.map((event) => {
    const spans = event.start / spanBeats;
    const whole = Math.floor(spans);
    const place = spans - whole;
    const moved = place < 0.5 ? (place / 0.5) * middle : middle + ((place - 0.5) / 0.5) * (1 - middle);
    return { ...event, start: (whole + moved) * spanBeats };
  });
}

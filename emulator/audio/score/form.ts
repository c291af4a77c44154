import { at } from "../seeded.js";

export type SectionKind = "intro" | "verse" | "chorus" | "bridge" | "outro";

export type Section = {
  readonly kind: SectionKind;
  readonly startBar: number;
  readonly bars: number;
};

/** What stands between intro and outro, by how many sections fit. */
const BODIES: readonly (readonly SectionKind[])[] = [
  ["chorus"],
  ["verse", "chorus"],
  ["verse", "chorus", "chorus"],
  ["verse", "chorus", "verse", "chorus"],
  ["verse", "chorus", "verse", "chorus", "chorus"],
  ["verse", "chorus", "verse", "chorus", "bridge", "chorus"],
];

/**
 * Sections that fill exactly `bars` bars. Those between intro and outro have the same even length; what is left over
 * makes the intro and the outro. A song that carries another one on has no intro.
 */
export function planForm(bars: number, opensAnew: boolean): readonly Section[] {
  const unit = bars >= 10 ? 4 : bars >= 4 ? 2 : 1;
  const edgeBars = bars < 6 ? 0 : opensAnew ? 2 : 1;
  const count = Math.max(1, Math.floor((bars - edgeBars) / unit));
  const spare = bars - count * unit;
  const intro = opensAnew && spare > 1 ? Math.ceil(spare / 2) : 0;
  const body = Array.from({ length: count }, (_, index) => ({
    kind: bodyKind(index, count),
    bars: unit,
  }));

  let startBar = 0;
  return [{ kind: "intro", bars: intro } as const, ...body, { kind: "outro", bars: spare - intro } as const]
    .filter((section) => section.bars > 0)
    .map((section) => {
      const placed = { ...section, startBar };
      startBar += section.bars;
      return placed;
    });
}

/** Longer songs go round the longest body, and every one ends its body in a chorus. */
function bodyKind(index: number, count: number): SectionKind {
  if (index === count - 1) return "chorus";
  return at(at(BODIES, Math.min(count, BODIES.length) - 1), index);
}

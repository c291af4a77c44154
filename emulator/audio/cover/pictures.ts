import { at, type Random } from "../seeded.js";
import { sine } from "../synth/exact.js";
import type { Palette } from "./palette.js";

/** What is drawn on the ground: SVG elements in a square of 100 by 100. */
export type Picture = (palette: Palette, random: Random) => string;

/** A sun or moon over ranges of hills. */
export function hills(palette: Palette, random: Random): string {
  const sun = circle(random.between(25, 75), random.between(22, 45), random.between(9, 17), palette.accent);
  const ranges = palette.shades.map((shade, range) => {
    const base = 46 + range * 9;
    const [phase, waves, height] = [random.next(), random.between(0.6, 1.8), random.between(3, 8)];
    const ridge = Array.from({ length: 21 }, (_, index) => {
      const x = index * 5;
      const y =
        base +
        height * sine(phase + (waves * x) / 100) +
        (height / 2) * sine(phase * 7 + (waves * 2.7 * x) / 100);
      return `${x} ${short(y)}`;
    });
    return `<path d="M0 101L${ridge.join("L")}L100 101Z" fill="${shade}"/>`;
  });
  return sun + ranges.join("");
}

/** The grooves of a record, with light across them. */
export function record(palette: Palette, random: Random): string {
  const x = random.between(35, 65);
  const y = random.between(35, 65);
  const grooves = Array.from({ length: 14 }, (_, index) => {
    const radius = 62 - index * 4;
    const length = random.between(0.3, 0.95) * radius * 6.28;
    const turn = random.below(360);
    return (
      `<circle cx="${short(x)}" cy="${short(y)}" r="${radius}" fill="none" stroke="${at(palette.shades, random.below(6))}" ` +
      `stroke-width="2.6" stroke-linecap="round" stroke-dasharray="${short(length)} 999" ` +
      `transform="rotate(${turn} ${short(x)} ${short(y)})"/>`
    );
  });
  return grooves.join("") + circle(x, y, 5, palette.accent);
}

/** Quarter circles that happen to meet. */
export function tiles(palette: Palette, random: Random): string {
  const count = random.chance(0.5) ? 5 : 4;
  const size = 100 / count;
  const accent = random.below(count * count);
  return Array.from({ length: count * count }, (_, index) => {
    const x = (index % count) * size;
    const y = Math.floor(index / count) * size;
    const turn = random.below(4) * 90;
    const fill = index === accent ? palette.accent : at(palette.shades, random.below(6));
    const transform = `translate(${short(x + size / 2)} ${short(y + size / 2)})rotate(${turn})`;
    const [half, whole] = [short(-size / 2), short(size)];
    const shape = random.chance(0.8)
      ? `M${half} ${half}h${whole}a${whole} ${whole} 0 0 1 -${whole} ${whole}Z`
      : `M${half} 0a${short(size / 2)} ${short(size / 2)} 0 0 1 ${whole} 0Z`;
    return `<path d="${shape}" fill="${fill}" transform="${transform}"/>`;
  }).join("");
}

/** The bars of a spectrum, mirrored in water. */
export function spectrum(palette: Palette, random: Random): string {
  const count = 16;
  const width = 84 / count;
  const bars = Array.from({ length: count }, (_, index) => {
    const height = 6 + random.next() * 34 * (0.35 + 0.65 * sine((index + 0.5) / count / 2));
    const x = short(8 + index * width);
    const fill = random.chance(0.12) ? palette.accent : at(palette.shades, Math.floor(index / 6));
    const bar = (y: number, length: number, opacity: number) =>
      `<rect x="${x}" y="${short(y)}" width="${short(width * 0.62)}" height="${short(length)}" rx="1.4" fill="${fill}" opacity="${opacity}"/>`;
    return bar(58 - height, height, 1) + bar(60, height * 0.55, 0.35);
  });
  return bars.join("");
}

function circle(x: number, y: number, radius: number, fill: string): string {
  return `<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${fill}"/>`;
}

/** Two decimals are enough for a square of 100, and keep the file small. */
function short(value: number): string {
  return `${Math.round(value * 100) / 100}`;
}

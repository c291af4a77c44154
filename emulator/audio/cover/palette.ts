import type { Random } from "../seeded.js";

/** Colours that go together, from the ground to what stands out. */
export type Palette = {
  readonly sky: string;
  readonly horizon: string;
  readonly shades: readonly string[];
  readonly accent: string;
};

/** Neighbouring hues for the picture, and one from across the wheel to stand out. */
export function createPalette(random: Random): Palette {
  const hue = random.below(360);
  const spread = random.between(25, 60);
  const isNight = random.chance(0.5);
  const shade = (place: number) => {
    const lightness = isNight ? 46 - place * 34 : 66 - place * 44;
    return color(hue + spread * place, 42 + 18 * place, lightness);
  };
  return {
    sky: isNight ? color(hue - spread, 45, 14) : color(hue - spread, 60, 78),
    horizon: isNight ? color(hue - spread / 3, 55, 46) : color(hue + 20, 75, 90),
    shades: [0, 0.2, 0.4, 0.6, 0.8, 1].map(shade),
    accent: color(hue + random.between(150, 210), 74, isNight ? 68 : 60),
  };
}

function color(hue: number, saturation: number, lightness: number): string {
  return `hsl(${Math.round((hue + 360) % 360)},${Math.round(saturation)}%,${Math.round(lightness)}%)`;
}

import { randomStream } from "../time/random.js";
import { between, sine } from "./numbers.js";

export const COVER_SIZES = { image: 360, imageLarge: 1024 } as const;

/** A sun or moon over ranges of hills, drawn from a clip ID and the same at every size. */
export function coverArt(clipId: string, pixels: number): { contentType: "image/svg+xml"; body: string } {
  const random = randomStream(0, "cover", clipId);
  const hue = random() * 360;
  // Neighboring hues for the picture, and one from the other side of the color wheel.
  const spread = between(random, 25, 60);
  const accent = hue + between(random, 150, 210);
  const isNight = random() < 0.5;
  const sky = isNight ? color(hue - spread, 45, 14) : color(hue - spread, 60, 78);
  const horizon = isNight ? color(hue - spread / 3, 55, 46) : color(hue + 20, 75, 90);
  // Pictures on one page share their IDs too, so each gradient has its own name.
  const gradient = `sky-${Math.floor(random() * 2 ** 32).toString(36)}`;

  const [x, y, radius] = [between(random, 25, 75), between(random, 22, 45), between(random, 9, 17)];
  const ranges = Array.from({ length: 6 }, (_, range) => {
    const [phase, waves, height] = [random(), between(random, 0.6, 1.8), between(random, 3, 8)];
    const ridge = Array.from({ length: 21 }, (_, index) => {
      const wave = sine(phase + (waves * index) / 20) + sine(phase * 7 + (waves * 2.7 * index) / 20) / 2;
      return `${index * 5} ${short(46 + range * 9 + height * wave)}`;
    });
    const lightness = isNight ? 46 - 7 * range : 66 - 9 * range;
    const shade = color(hue + (spread * range) / 5, 42 + 3.6 * range, lightness);
    return `<path d="M0 101L${ridge.join("L")}L100 101Z" fill="${shade}"/>`;
  });
  const body =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 100 100">` +
    `<linearGradient id="${gradient}" x2="0" y2="1"><stop stop-color="${sky}"/>` +
    `<stop offset="1" stop-color="${horizon}"/></linearGradient>` +
    `<rect width="100" height="100" fill="url(#${gradient})"/>` +
    `<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${color(accent, 74, isNight ? 68 : 60)}"/>` +
    `${ranges.join("")}</svg>`;
  return { contentType: "image/svg+xml", body };
}

function color(hue: number, saturation: number, lightness: number): string {
  return `hsl(${Math.round((hue + 360) % 360)},${Math.round(saturation)}%,${Math.round(lightness)}%)`;
}

/** Two decimals are enough for a square of 100. */
function short(value: number): string {
  return `${Math.round(value * 100) / 100}`;
}

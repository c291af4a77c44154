import { createRandom, seedOf } from "../seeded.js";
import { createPalette } from "./palette.js";
import { hills, type Picture, record, spectrum, tiles } from "./pictures.js";

type CoverArt = { readonly contentType: "image/svg+xml"; readonly body: string };

/** Widths and heights in pixels. */
export const COVER_SIZES = { image: 360, imageLarge: 1024 } as const;

const PICTURES: readonly Picture[] = [hills, record, tiles, spectrum];

/** A picture that belongs to a clip id and is the same at every size. */
export function coverArt(clipId: string, pixels: number): CoverArt {
  const seed = seedOf("cover", clipId);
  const random = createRandom(seed);
  const palette = createPalette(random);
  const picture = random.pick(PICTURES)(palette, random);
  // Pictures that share a page share their ids too, so the gradient is named after the clip.
  const ground = `sky-${seed.toString(36)}`;
  const body =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 100 100">` +
    `<linearGradient id="${ground}" x2="0" y2="1"><stop stop-color="${palette.sky}"/>` +
    `<stop offset="1" stop-color="${palette.horizon}"/></linearGradient>` +
    `<rect width="100" height="100" fill="url(#${ground})"/>${picture}</svg>`;
  return { contentType: "image/svg+xml", body };
}

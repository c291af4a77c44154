import { describe, expect, test } from "vitest";
import { COVER_SIZES, coverArt } from "../../../emulator/audio/cover-art.js";

const CLIP_IDS = Array.from({ length: 40 }, (_, index) => `clip-${index}`);

describe("cover art", () => {
  test.each(CLIP_IDS)("of %s is a well-formed SVG under 10 kB", (clipId) => {
    const { contentType, body } = coverArt(clipId, COVER_SIZES.image);
    expect(contentType).toBe("image/svg+xml");
    expect(new TextEncoder().encode(body).length).toBeLessThan(10_000);
    expect(body).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
    expect(unclosedTags(body)).toEqual([]);
    expect(body).not.toMatch(/NaN|undefined|Infinity/);
  });

  test("is the same for the same clip, and different for every other one", () => {
    expect(coverArt("clip-1", 100)).toEqual(coverArt("clip-1", 100));
    expect(new Set(CLIP_IDS.map((clipId) => coverArt(clipId, 100).body)).size).toBe(CLIP_IDS.length);
  });

  test("has two sizes of one picture", () => {
    const [small, large] = [COVER_SIZES.image, COVER_SIZES.imageLarge].map(
      (pixels) => coverArt("clip-1", pixels).body,
    );
    expect(large).toContain('width="1024" height="1024"');
    expect(large?.replaceAll("1024", `${COVER_SIZES.image}`)).toBe(small);
  });

  test("does not contain the clip ID", () => {
    const { body } = coverArt('"><script>alert(1)</script>', 100);
    expect(body).not.toContain("script");
    expect(unclosedTags(body)).toEqual([]);
  });
});

/** Every tag that is opened and not closed, or closed and not opened; quotes and brackets within tags have to match. */
function unclosedTags(svg: string): readonly string[] {
  const tag = /<(\/?)([a-zA-Z]+)((?:\s[a-zA-Z0-9:-]+="[^"<>&]*")*)(\/?)>/g;
  const open: string[] = [];
  for (const [, closing, name = "", , selfClosing] of svg.matchAll(tag)) {
    if (closing === "/" && open.at(-1) === name) open.pop();
    else if (selfClosing !== "/") open.push(name);
  }
  const rest = svg.replace(tag, "");
  return rest === "" ? open : [...open, rest];
}

/**
 * One bar each, sixteen steps: `r` root, `t` third, `f` fifth, `o` octave, `a` a step towards the next root;
 * `-` holds the note, `.` is silence.
 */
export const BASS_PATTERNS = {
  root: "r-----------r-..",
  long: "r---------------",
  halves: "r-------f-------",
  eighths: "r-r-r-r-r-r-r-r-",
  sixteenths: "r.rrr.rrr.rrr.ra",
  octaves: "r.o.r.o.r.o.r.o.",
  offbeat: "..r-..r-..r-..r-",
  walking: "r---t---f---a---",
  bounce: "r-----..f-----a-",
  syncopated: "r-----r-..r-f-a-",
  funk: "r-.r..o.r-.f.r.a",
  reggae: "....r-r-..f-r-..",
  bossa: "r-----f-f-----r-",
} as const satisfies Record<string, string>;

export type BassPattern = keyof typeof BASS_PATTERNS;

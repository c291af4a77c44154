/** `length` in beats is how long each touch sounds; a chord never sounds into the next one. */
type ChordPatternShape = {
  /** Sixteen steps: `x` loud, `o` middle, `-` soft, `.` nothing. */
  readonly steps: string;
  readonly length: number;
  /** Which notes one touch plays: all of them, strummed, or one after another in this order. */
  readonly order?: "strum" | readonly number[];
};

const CHORD_PATTERNS = {
  held: { steps: "x...............", length: 4 },
  quarters: { steps: "x...o...x...o...", length: 0.9 },
  pulse: { steps: "x.o.x.o.x.o.x.o.", length: 0.45 },
  gallop: { steps: "x.xox.xox.xox.xo", length: 0.22 },
  charleston: { steps: "x.....o.........", length: 1.4 },
  comping: { steps: "..x.....x.....o.", length: 0.6 },
  offbeat: { steps: "..x...x...x...x.", length: 0.4 },
  skank: { steps: "....x.......x...", length: 0.25 },
  scratch: { steps: "..x--x.-..x--x.o", length: 0.15 },
  stabs: { steps: "x..x..x...x..x..", length: 0.3 },
  boomChick: { steps: "....x...-...x...", length: 0.5, order: "strum" },
  strum: { steps: "x...x.o...o.x.o.", length: 0.9, order: "strum" },
  bossa: { steps: "x..x..x...x..x..", length: 0.5 },
  montuno: { steps: "x.xx.x.xx.xx.x.x", length: 0.3, order: [0, 2, 1, 3] },
  waltz: { steps: "....x...x...", length: 0.8 },
  picking: {
    steps: "x.o.x.o.x.o.x.o.",
    length: 1.2,
    order: [0, 2, 1, 3, 0, 2, 1, 3],
  },
  alberti: { steps: "x.o.x.o.x.o.x.o.", length: 0.9, order: [0, 2, 1, 2] },
  arpeggio: { steps: "x.o.x.o.x.o.x.o.", length: 1, order: [0, 1, 2, 3, 2, 1] },
  arpeggioSlow: { steps: "x...o...x...o...", length: 2.5, order: [0, 2, 3, 1] },
  arpeggioFast: {
    steps: "xoooxoooxoooxooo",
    length: 0.3,
    order: [0, 1, 2, 3, 1, 2],
  },
} as const satisfies Record<string, ChordPatternShape>;

export type ChordPattern = keyof typeof CHORD_PATTERNS;

export function chordPattern(name: ChordPattern): ChordPatternShape {
  return CHORD_PATTERNS[name];
}

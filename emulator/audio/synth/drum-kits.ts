/** A drum is a tone that falls, a burst of noise, or both. */
export type Drum = {
  readonly seconds: number;
  readonly level: number;
  /** -1 is left, 1 is right. */
  readonly pan: number;
  readonly tone?: {
    readonly fromHertz: number;
    readonly toHertz: number;
    /** Half-lives of the fall of pitch and of the loudness. */
    readonly bendSeconds: number;
    readonly fallSeconds: number;
    readonly level: number;
  };
  readonly noise?: {
    readonly lowestHertz: number;
    readonly highestHertz: number;
    readonly fallSeconds: number;
    readonly level: number;
    /** More than one burst makes a clap. */
    readonly bursts?: number;
  };
};

export type DrumName =
  | "kick"
  | "snare"
  | "rim"
  | "clap"
  | "tom"
  | "hat"
  | "openHat"
  | "ride"
  | "shaker"
  | "tambourine"
  | "crash";

type Kit = Readonly<Record<DrumName, Drum>>;

const ACOUSTIC: Kit = {
  kick: drum(0.4, 1, 0, [120, 48, 0.018, 0.06, 1], [800, 4000, 0.004, 0.25]),
  snare: drum(0.3, 0.62, 0.05, [210, 175, 0.02, 0.035, 0.6], [900, 9000, 0.045, 0.8]),
  rim: drum(0.08, 0.45, -0.15, [820, 780, 0.01, 0.012, 0.7], [1500, 9000, 0.006, 0.4]),
  clap: { ...drum(0.25, 0.5, 0.12, undefined, [900, 6500, 0.04, 1]) },
  tom: drum(0.45, 0.7, -0.25, [150, 85, 0.06, 0.09, 1], [500, 3000, 0.01, 0.2]),
  hat: drum(0.09, 0.26, 0.3, undefined, [7000, 15000, 0.014, 1]),
  openHat: drum(0.4, 0.24, 0.3, undefined, [6500, 15000, 0.08, 1]),
  ride: drum(0.7, 0.2, -0.35, [3100, 3090, 1, 0.14, 0.22], [6000, 14000, 0.11, 0.7]),
  shaker: drum(0.09, 0.2, -0.4, undefined, [5500, 12000, 0.018, 1]),
  tambourine: drum(0.2, 0.22, 0.4, undefined, [7500, 16000, 0.04, 1]),
  crash: drum(2.2, 0.34, -0.2, undefined, [3500, 14000, 0.38, 1]),
};

const ELECTRONIC: Kit = {
  ...ACOUSTIC,
  kick: drum(0.4, 1, 0, [220, 46, 0.014, 0.075, 1], [2000, 8000, 0.003, 0.2]),
  snare: drum(0.25, 0.55, 0, [240, 180, 0.01, 0.02, 0.4], [1500, 11000, 0.04, 1]),
  clap: withBursts(drum(0.3, 0.55, 0.1, undefined, [1000, 7000, 0.05, 1]), 4),
  hat: drum(0.07, 0.28, 0.2, undefined, [8500, 16000, 0.01, 1]),
};

/** The sounds of each kit; all but the first differ from another in a few drums. */
export const KITS = {
  acoustic: { ...ACOUSTIC, clap: withBursts(ACOUSTIC.clap, 3) },
  electronic: ELECTRONIC,
  brushes: {
    ...ACOUSTIC,
    kick: drum(0.35, 0.7, 0, [95, 50, 0.02, 0.06, 1], [400, 2000, 0.004, 0.1]),
    snare: drum(0.35, 0.34, 0.1, [190, 175, 0.02, 0.02, 0.2], [1500, 8000, 0.07, 1]),
    hat: drum(0.08, 0.2, 0.3, undefined, [7000, 14000, 0.01, 1]),
  },
  eightOhEight: {
    ...ELECTRONIC,
    kick: drum(0.9, 1, 0, [130, 45, 0.02, 0.2, 1], [2000, 8000, 0.002, 0.1]),
    snare: drum(0.25, 0.5, 0, [330, 200, 0.008, 0.03, 0.5], [2500, 12000, 0.035, 0.8]),
    rim: drum(0.06, 0.5, -0.1, [1700, 1650, 0.01, 0.008, 1], undefined),
    hat: drum(0.05, 0.3, 0.15, undefined, [9000, 16000, 0.007, 1]),
  },
  dusty: {
    ...ACOUSTIC,
    kick: drum(0.35, 0.95, 0, [100, 50, 0.02, 0.06, 1], [300, 1500, 0.006, 0.25]),
    snare: drum(0.25, 0.55, 0.05, [200, 170, 0.02, 0.03, 0.6], [700, 4500, 0.04, 0.8]),
    hat: drum(0.08, 0.28, 0.25, undefined, [4500, 8500, 0.012, 1]),
  },
  gated: {
    ...ELECTRONIC,
    snare: drum(0.24, 0.7, 0, [190, 160, 0.02, 0.05, 0.5], [700, 9000, 0.2, 1]),
    tom: drum(0.4, 0.8, -0.2, [190, 95, 0.08, 0.12, 1], [500, 4000, 0.05, 0.3]),
  },
  chip: {
    ...ELECTRONIC,
    kick: drum(0.18, 0.9, 0, [320, 50, 0.02, 0.04, 1], undefined),
    snare: drum(0.15, 0.5, 0, undefined, [2500, 16000, 0.03, 1]),
    hat: drum(0.05, 0.25, 0, undefined, [9000, 16000, 0.008, 1]),
  },
} as const satisfies Record<string, Kit>;

export type KitName = keyof typeof KITS;

type Tone = readonly [
  fromHertz: number,
  toHertz: number,
  bendSeconds: number,
  fallSeconds: number,
  level: number,
];
type Noise = readonly [lowestHertz: number, highestHertz: number, fallSeconds: number, level: number];

function drum(
  seconds: number,
  level: number,
  pan: number,
  tone: Tone | undefined,
  noise: Noise | undefined,
): Drum {
  return {
    seconds,
    level,
    pan,
    ...(tone && { tone: toneOf(tone) }),
    ...(noise && { noise: noiseOf(noise) }),
  };
}

function toneOf([fromHertz, toHertz, bendSeconds, fallSeconds, level]: Tone) {
  return { fromHertz, toHertz, bendSeconds, fallSeconds, level };
}

function noiseOf([lowestHertz, highestHertz, fallSeconds, level]: Noise) {
  return { lowestHertz, highestHertz, fallSeconds, level };
}

function withBursts(clap: Drum, bursts: number): Drum {
  return clap.noise === undefined ? clap : { ...clap, noise: { ...clap.noise, bursts } };
}

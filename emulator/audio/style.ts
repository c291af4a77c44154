import { randomChoice, randomStream } from "../time/random.js";
import type { DrumName, InstrumentName } from "./synth.js";

/** How a kind of music is played. A list is a choice that the song's seed makes. */
export interface Style {
  readonly tempo: readonly [number, number];
  readonly scales: readonly ScaleName[];
  readonly groove: Groove;
  readonly bass: InstrumentName;
  readonly chords: readonly InstrumentName[];
  readonly leads: readonly InstrumentName[];
  /** How busy the melody is, 0 to 2. */
  readonly density: number;
  /** The strength of each overtone, relative to the one below: 1 as the instrument is, less is duller. */
  readonly brightness: number;
  /** The strength of the echo, 0 to 0.5. */
  readonly echo: number;
}

/**
 * Patterns of one bar, a step for each sixteenth: `.` is silence and `-` holds the note before. For drums, `x` is loud and
 * `o` soft. For notes, `x` is the whole chord, and digits count the notes of the scale from the root of the chord.
 */
export interface Groove {
  readonly drums: Readonly<Partial<Record<DrumName, string>>>;
  readonly bass: string;
  readonly chords: readonly [usually: string, inChorus: string];
  readonly beatsPerBar?: 3;
  /** How late the second half of each beat comes: 0 is straight, 1 a full triplet. */
  readonly swing?: number;
}

/** Semitones above the key note, and progressions of four chords: scale steps counted from 0. */
export const SCALES = {
  major: { steps: [0, 2, 4, 5, 7, 9, 11], progressions: ["0453", "0534", "5304", "0354", "3045", "1405"] },
  minor: { steps: [0, 2, 3, 5, 7, 8, 10], progressions: ["0526", "0354", "0656", "5600", "0263", "3054"] },
  dorian: { steps: [0, 2, 3, 5, 7, 9, 10], progressions: ["0303", "0630", "0236", "0362"] },
  mixolydian: { steps: [0, 2, 4, 5, 7, 9, 10], progressions: ["0630", "0360", "0634", "0304"] },
  phrygian: { steps: [0, 1, 3, 5, 7, 8, 10], progressions: ["0101", "0510", "0160", "0651"] },
} as const;

export type ScaleName = keyof typeof SCALES;

const BACKBEAT = "....x.......x...";
const EIGHTHS = "x.o.x.o.x.o.x.o.";
const ARPEGGIO = "1-3-5-8-5-3-5-3-";
const STRUM = "x---x-x---x-x-x-";

const POP_GROOVE: Groove = {
  drums: { kick: "x.......x.o.....", snare: BACKBEAT, hat: EIGHTHS },
  bass: "1-1-1-1-1-1-5-1-",
  chords: ["x-----x-----x---", STRUM],
};
const ROCK: Groove = {
  drums: { kick: "x.......x.x.....", snare: BACKBEAT, hat: "x.x.x.x.x.x.x.x." },
  bass: "1.1.1.1.1.1.1.1.",
  chords: ["x.x.x.x.x.x.x.x.", "x-xxx-xxx-xxx-x-"],
};
const FOLK: Groove = {
  drums: { kick: "x.......o.......", rim: BACKBEAT, shaker: "x.o.x.o.x.o.x.o." },
  bass: "1-----..5-----..",
  chords: ["1-3-5-3-8-3-5-3-", STRUM],
};
const SKANK: Groove = {
  drums: { kick: "........x.......", rim: "........x.......", hat: EIGHTHS },
  bass: "....1-1-..1-5-..",
  chords: ["....x.......x...", "....x..x....x..x"],
  swing: 0.4,
};
const FUNK: Groove = {
  drums: { kick: "x.x...o..ox.....", snare: "....x..o.o..x..o", hat: "xoxoxoxoxoxoxoxo" },
  bass: "1-.1..8.1-.5.1.1",
  chords: ["..xx..x...xx..x.", "x..x..x.x..x..x."],
};
const FOUR_ON_FLOOR: Groove = {
  drums: { kick: "x...x...x...x...", clap: BACKBEAT, hat: "..x...x...x...x." },
  bass: "..1-..1-..1-..8-",
  chords: ["x..x..x...x..x..", "1358135813581358"],
};
const HIP_HOP: Groove = {
  drums: { kick: "x......o..x.....", snare: BACKBEAT, hat: "x.o.x.o.x.oox.o." },
  bass: "1-----1-..1-5-..",
  chords: ["x-----x---------", ARPEGGIO],
  swing: 0.3,
};
const DRUMLESS: Groove = {
  drums: {},
  bass: "1---------------",
  chords: ["1---5---8---3---", ARPEGGIO],
};
const SWING: Groove = {
  drums: { ride: "x...x.o.x...x.o.", hat: BACKBEAT, kick: "o.......o......." },
  bass: "1---3---5---8---",
  chords: ["x-----x---------", "..x-....x---..x-"],
  swing: 0.9,
};
const WALTZ: Groove = {
  drums: { kick: "x...........", rim: "....o...o..." },
  bass: "1-------....",
  chords: ["....x---x---", "1---x---x---"],
  beatsPerBar: 3,
};

const POP: Style = {
  tempo: [96, 124],
  scales: ["major", "major", "minor"],
  groove: POP_GROOVE,
  bass: "bass",
  chords: ["piano", "guitar", "rhodes"],
  leads: ["synth", "distorted", "bell"],
  density: 1,
  brightness: 1,
  echo: 0.2,
};
const DARK = { scales: ["minor", "phrygian"] } as const;
const BAND = { groove: FOLK, chords: ["guitar"], leads: ["violin", "harmonica", "flute"] } as const;
const CLUB = { chords: ["synth", "pluck"], leads: ["pluck", "square"], density: 1.5, echo: 0.35 } as const;
const LOUNGE = { chords: ["rhodes"], leads: ["sax", "flute", "bell"] } as const;
const HALL = { chords: ["strings"], leads: ["violin", "trumpet"], bass: "cello", echo: 0.4 } as const;

/** The words, separated by commas, that name a genre, and how it differs from pop. The first one in a text decides. */
export const GENRES: readonly (readonly [words: string, changes: Partial<Style>])[] = [
  ["pop, anthem, kpop, k pop, jpop", {}],
  ["rock, punk, grunge, indie, garage", { tempo: [112, 140], groove: ROCK, chords: ["distorted"] }],
  ["metal, metalcore, djent", { ...DARK, tempo: [140, 176], groove: ROCK, chords: ["distorted"] }],
  ["blues, soul, gospel, motown", { ...LOUNGE, tempo: [76, 100], scales: ["mixolydian"], groove: SWING }],
  ["folk, acoustic, ballad, celtic, fado, polka, shanty", { ...BAND, tempo: [84, 116] }],
  ["country, bluegrass", { ...BAND, tempo: [104, 132], scales: ["mixolydian"] }],
  ["reggae, dub, ska", { tempo: [72, 88], groove: SKANK, chords: ["organ"], leads: ["trumpet"] }],
  ["bossa, samba, latin, salsa, tango", { ...LOUNGE, tempo: [100, 136], groove: SKANK, chords: ["guitar"] }],
  ["funk, funky, disco, rnb, r b", { tempo: [100, 120], scales: ["dorian"], groove: FUNK }],
  ["techno, industrial, acid, rave", { ...CLUB, ...DARK, tempo: [126, 138], groove: FOUR_ON_FLOOR }],
  ["house, edm, dance, club, trance, electronic", { ...CLUB, tempo: [118, 128], groove: FOUR_ON_FLOOR }],
  ["dubstep, jungle, dnb, drum and bass", { ...CLUB, ...DARK, tempo: [168, 176], groove: FUNK }],
  ["ambient, drone, meditation", { ...LOUNGE, tempo: [60, 76], groove: DRUMLESS, density: 0, echo: 0.5 }],
  ["lofi, lo fi, chillhop, study, chill", { ...LOUNGE, tempo: [72, 88], groove: HIP_HOP, brightness: 0.7 }],
  ["hip hop, hiphop, rap, trap, drill", { ...DARK, tempo: [84, 98], groove: HIP_HOP, leads: ["bell"] }],
  ["synthwave, synthpop, vaporwave, 80s", { ...CLUB, ...DARK, tempo: [84, 112], groove: ROCK }],
  ["chiptune, 8 bit, 8bit, arcade", { tempo: [128, 160], chords: ["square"], leads: ["square"] }],
  ["jazz, bebop, big band, swing", { ...LOUNGE, tempo: [112, 168], groove: SWING, density: 1.6 }],
  ["classical, baroque, sonata, orchestral", { ...HALL, tempo: [84, 126], groove: DRUMLESS, density: 1.3 }],
  ["cinematic, soundtrack, epic", { ...HALL, ...DARK, tempo: [76, 104], groove: ROCK }],
  ["waltz, musette", { tempo: [96, 150], groove: WALTZ, chords: ["piano"], leads: ["violin", "flute"] }],
  ["lullaby, music box, cradle", { tempo: [84, 96], groove: WALTZ, chords: ["bell"], leads: ["bell"] }],
];

/** Words that change any genre. All that are in a text count, in this order. */
const STYLE_CHANGES: readonly (readonly [
  words: string,
  change: Partial<Style> & { tempoFactor?: number },
])[] = [
  ["slow, slowly, adagio, lento", { tempoFactor: 0.78, density: 0.4 }],
  ["fast, quick, uptempo, up tempo, presto", { tempoFactor: 1.25, density: 1.6 }],
  ["sad, melancholic, lonely, heartbreak, rain, rainy, blue", { scales: ["minor"], tempoFactor: 0.88 }],
  ["happy, joyful, cheerful, upbeat, sunny, summer, birthday", { scales: ["major"], tempoFactor: 1.08 }],
  ["dark, scary, sinister, haunting, midnight", { ...DARK, brightness: 0.6 }],
  ["calm, soft, gentle, quiet, peaceful, sleep", { tempoFactor: 0.88, density: 0.3, brightness: 0.7 }],
  ["dreamy, dream, ethereal, space, ocean, reverb", { echo: 0.5, brightness: 0.75 }],
  ["energetic, aggressive, driving, powerful, party", { tempoFactor: 1.12, density: 1.5, brightness: 1.1 }],
  ["major", { scales: ["major"] }],
  ["minor", { scales: ["minor"] }],
];

/** Instruments that have the tune where a text names them. */
const LEADS = ["bell", "cello", "flute", "guitar", "organ", "piano", "sax", "trumpet", "violin"] as const;

export function readStyle(text: string, seed: number): Style {
  const words = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  // Where the first of these names is, as a whole word; infinity if none is in the text.
  const positionOf = (names: string) => {
    const positions = names.split(", ").map((name) => words.indexOf(` ${name} `));
    return Math.min(...positions.filter((position) => position >= 0));
  };
  const isNamed = ([names]: readonly [string, ...unknown[]]) => positionOf(names) < words.length;
  const [named] = GENRES.filter(isNamed).sort(([a], [b]) => positionOf(a) - positionOf(b));
  const [, genre] = named ?? randomChoice(randomStream(seed, "genre", text), GENRES);
  const lead = LEADS.find((name) => isNamed([`${name}, ${name}s`]));
  let style: Style = { ...POP, ...genre, ...(lead !== undefined && { leads: [lead] }) };
  for (const [, { tempoFactor = 1, ...change }] of STYLE_CHANGES.filter(isNamed)) {
    const [slowest, fastest] = style.tempo;
    style = { ...style, ...change, tempo: [slowest * tempoFactor, fastest * tempoFactor] };
  }
  return style;
}

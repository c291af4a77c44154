import { BAND_GENRES } from "./genres/band.js";
import { CONCERT_GENRES } from "./genres/concert.js";
import { ELECTRONIC_GENRES } from "./genres/electronic.js";
import { POP } from "./genres/pop.js";
import type { StyleTwist } from "./style.js";

export const GENRES = {
  pop: POP,
  ...BAND_GENRES,
  ...ELECTRONIC_GENRES,
  ...CONCERT_GENRES,
};

export type GenreName = keyof typeof GENRES;

/** What a text that names no genre may turn into. */
export const UNNAMED_GENRES: readonly GenreName[] = [
  "pop",
  "folk",
  "lofi",
  "synthwave",
  "soul",
  "house",
  "rock",
  "pianoSolo",
  "cinematic",
  "bossa",
];

/** The words, separated by commas, that name a genre; the first one in a text decides. */
export const GENRE_WORDS: readonly (readonly [genre: GenreName, words: string])[] = [
  ["pop", "pop, anthem, kpop, k pop, jpop"],
  ["rock", "rock, punk, grunge, indie, garage, alternative"],
  ["metal", "metal, metalcore, djent, thrash"],
  ["blues", "blues"],
  ["folk", "folk, acoustic, singer, celtic, fado"],
  ["country", "country, bluegrass, americana"],
  ["reggae", "reggae, dub, ska"],
  ["latin", "latin, salsa, tango, reggaeton, flamenco, afrobeat"],
  ["bossa", "bossa, samba"],
  ["funk", "funk, funky"],
  ["soul", "soul, rnb, r b, gospel, motown"],
  ["techno", "techno, industrial, acid, rave, electro, electronic"],
  ["house", "house, edm, dance, club"],
  ["trance", "trance, psytrance"],
  ["drumAndBass", "dubstep, jungle, dnb, drum and bass, drum n bass"],
  ["ambient", "ambient, drone, meditation, meditative, new age, spa"],
  ["lofi", "lofi, lo fi, chillhop, study, chill, downtempo"],
  ["hipHop", "hip hop, hiphop, rap, boom bap"],
  ["trap", "trap, drill"],
  ["synthwave", "synthwave, retrowave, vaporwave, 80s, synthpop"],
  ["chiptune", "chiptune, 8 bit, 8bit, arcade"],
  ["disco", "disco"],
  ["jazz", "jazz, bebop, big band, swing"],
  ["classical", "classical, baroque, chamber, sonata, orchestra, symphony"],
  ["cinematic", "orchestral, cinematic, soundtrack, film, trailer, epic"],
  ["pianoSolo", "ballad, solo piano, piano solo, nocturne"],
  ["waltz", "waltz, musette"],
  ["lullaby", "lullaby, music box, cradle"],
];

/** Words that change whatever genre it is. All of a text count, in the order of this table. */
export const TWIST_WORDS: readonly (readonly [words: string, twist: StyleTwist])[] = [
  ["slow, slowly, adagio, lento", { tempoFactor: 0.78, density: 0.4 }],
  ["fast, quick, uptempo, up tempo, presto", { tempoFactor: 1.25, density: 1.6 }],
  [
    "sad, melancholic, melancholy, lonely, heartbreak, tears, rain, rainy, blue",
    { scales: ["minor"], tempoFactor: 0.88, brightness: 0.65, reverb: 0.4 },
  ],
  [
    "happy, joyful, cheerful, upbeat, sunny, summer, sunshine, birthday",
    { scales: ["major"], tempoFactor: 1.08, brightness: 1.1 },
  ],
  ["dark, scary, sinister, haunting, horror, midnight", { scales: ["minor", "phrygian"], brightness: 0.5 }],
  [
    "calm, soft, gentle, relaxing, quiet, peaceful, sleep",
    { tempoFactor: 0.88, density: 0.3, brightness: 0.65, reverb: 0.4 },
  ],
  [
    "dreamy, dream, ethereal, space, cosmic, underwater, ocean",
    {
      scales: ["lydian", "major"],
      pad: "warmPad",
      reverb: 0.55,
      echo: 0.4,
      brightness: 0.7,
    },
  ],
  [
    "energetic, aggressive, driving, powerful, intense, party",
    { tempoFactor: 1.12, density: 1.5, brightness: 1.2 },
  ],
  ["warm", { brightness: 0.7 }],
  ["bright", { brightness: 1.3 }],
  ["shuffle, swung", { swing: 1 }],
  ["distorted, fuzzy", { drive: 0.8 }],
  ["heavy", { drive: 0.7, tempoFactor: 0.95 }],
  ["reverb, echoing", { reverb: 0.6, echo: 0.5 }],
  ["minimal, sparse", { pad: null, density: 0.4 }],
  ["major", { scales: ["major"] }],
  ["minor", { scales: ["minor"] }],
  ["strings", { pad: "strings" }],
  ["choir, choral", { pad: "choir" }],
  ["synth, synths, synthesizer", { leads: ["synthLead"], pad: "warmPad" }],
  ["guitar", { chordInstruments: ["guitar"] }],
  ["ukulele", { chordInstruments: ["guitar"], chords: ["strum"] }],
  ["electric guitar", { chordInstruments: ["electricGuitar"], leads: ["electricGuitar"] }],
  ["piano", { chordInstruments: ["piano"], leads: ["piano"] }],
  ["rhodes, electric piano", { chordInstruments: ["electricPiano"], leads: ["electricPiano"] }],
  ["organ", { chordInstruments: ["organ"] }],
  ["accordion", { chordInstruments: ["accordion"], leads: ["accordion"] }],
  ["violin, fiddle", { leads: ["violin"] }],
  ["cello", { leads: ["cello"] }],
  ["flute", { leads: ["flute"] }],
  ["sax, saxophone", { leads: ["saxophone"] }],
  ["trumpet, brass, horns", { leads: ["trumpet"] }],
  ["harmonica", { leads: ["harmonica"] }],
  ["bells, music box, glockenspiel", { leads: ["bell"] }],
  ["808", { kit: "eightOhEight" }],
];

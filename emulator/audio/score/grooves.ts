import type { DrumName } from "../synth/drum-kits.js";

/** Sixteen steps to a bar of four, twelve to one of three: `x` is loud, `o` middle, `-` soft, `.` silent. */
export type Beat = Partial<Readonly<Record<DrumName, string>>>;

/** The chorus plays the verse's beat with these changes. */
type GroovePattern = { readonly verse: Beat; readonly chorus: Beat };

const BACKBEAT = "....x.......x...";
const FOUR = "x...x...x...x...";
const EIGHTHS = "x.o.x.o.x.o.x.o.";
const OFFBEATS = "..x...x...x...x.";

export const GROOVES = {
  none: { verse: {}, chorus: {} },
  pop: {
    verse: { kick: "x.......x.o.....", snare: BACKBEAT, hat: EIGHTHS },
    chorus: {
      kick: "x.....x.x.o.....",
      hat: "x-o-x-o-x-o-x-o-",
      tambourine: BACKBEAT,
    },
  },
  rock: {
    verse: {
      kick: "x.......x.x.....",
      snare: BACKBEAT,
      hat: "x.x.x.x.x.x.x.x.",
    },
    chorus: { kick: "x..x..x.x.x...o.", hat: "", ride: "x.o.x.o.x.o.x.o." },
  },
  metal: {
    verse: { kick: "x.xxx.xxx.xxx.xx", snare: BACKBEAT, hat: FOUR },
    chorus: { kick: "xoxoxoxoxoxoxoxo", hat: "", ride: "x.x.x.x.x.x.x.x." },
  },
  soft: {
    verse: {
      kick: "x.......o.......",
      rim: BACKBEAT,
      shaker: "x-o-x-o-x-o-x-o-",
    },
    chorus: { kick: "x.....o.x.......", rim: "", snare: "....o.......o..." },
  },
  train: {
    verse: { kick: "x.......x.......", snare: "-.-.x.-.-.-.x.--" },
    chorus: { kick: FOUR, snare: "-o-.x.-o-o-.x.-o", hat: OFFBEATS },
  },
  swing: {
    verse: {
      ride: "x...x.o.x...x.o.",
      hat: BACKBEAT,
      kick: "-.......-.......",
    },
    chorus: { snare: "......-.....-...", kick: "o.......-.....-." },
  },
  shuffle: {
    verse: { kick: "x.......x.....o.", snare: BACKBEAT, hat: EIGHTHS },
    chorus: { ride: EIGHTHS, hat: "", kick: "x.....o.x.....o." },
  },
  fourOnFloor: {
    verse: { kick: FOUR, openHat: OFFBEATS, shaker: "--o---o---o---o-" },
    chorus: {
      clap: BACKBEAT,
      hat: "o-.-o-.-o-.-o-.-",
      snare: "..............-.",
    },
  },
  breakbeat: {
    verse: {
      kick: "x.........x.....",
      snare: "....x..-.-..x...",
      hat: EIGHTHS,
    },
    chorus: {
      kick: "x.x.......x..o..",
      snare: "....x..o.o..x..-",
      hat: "x-o-x-o-x-o-x-o-",
    },
  },
  hipHop: {
    verse: { kick: "x......o..x.....", snare: BACKBEAT, hat: EIGHTHS },
    chorus: { kick: "x..o...o..x....-", hat: "x.o.x-o.x.o-x.o." },
  },
  trap: {
    verse: {
      kick: "x.....x...o.....",
      clap: "........x.......",
      hat: "x.x.x.x.x.xxx.x.",
    },
    chorus: {
      kick: "x.....x...x..o..",
      hat: "x.x.xxx.x.x.xoxo",
      openHat: "......o.........",
    },
  },
  epic: {
    verse: { tom: "x.....x...x....." },
    chorus: {
      tom: "x..o..x...x.o.o.",
      kick: "x.......x.......",
      snare: "--------o---o-o-",
    },
  },
  oneDrop: {
    verse: {
      kick: "........x.......",
      rim: "........x.......",
      hat: "x.o.x.o.x.o.x.oo",
    },
    chorus: { kick: "x...x...x...x...", hat: "x.ooxoo.x.ooxoo." },
  },
  bossa: {
    verse: {
      kick: "x..ox..ox..ox..o",
      rim: "x..x..x...x..x..",
      shaker: "x-o-x-o-x-o-x-o-",
    },
    chorus: { ride: "..o...o...o...o." },
  },
  latin: {
    verse: {
      kick: "x..x..x.x..x..x.",
      rim: "x..x..x...x.x...",
      shaker: EIGHTHS,
    },
    chorus: { snare: "...x..x....x..x.", tom: "..............xx" },
  },
  funk: {
    verse: {
      kick: "x.x...o..ox.....",
      snare: "....x..-.-..x..-",
      hat: "x-o-x-o-x-o-x-o-",
    },
    chorus: { kick: "x.x...o..ox..x..", openHat: "......x........." },
  },
  disco: {
    verse: { kick: FOUR, snare: BACKBEAT, openHat: OFFBEATS },
    chorus: {
      hat: "o-.-o-.-o-.-o-.-",
      tambourine: "x-o-x-o-x-o-x-o-",
      clap: BACKBEAT,
    },
  },
  waltz: {
    verse: { kick: "x...........", rim: "....o...o..." },
    chorus: { snare: "....o...o...", rim: "", ride: "x...o...o.o." },
  },
} as const satisfies Record<string, GroovePattern>;

export type Groove = keyof typeof GROOVES;

import { at, type Random } from "../seeded.js";

/** One bar of tune without a key: when, how long, and how many scale steps above the first note. */
export type Motif = readonly {
  readonly start: number;
  readonly length: number;
  readonly rise: number;
}[];

/** Two beats of rhythm each, from calm to busy. */
const CELLS: readonly (readonly (readonly number[])[])[] = [
  [[2], [1.5, 0.5], [1, 1]],
  [
    [1, 1],
    [0.5, 0.5, 1],
    [1, 0.5, 0.5],
    [1.5, 0.5],
    [0.5, 1, 0.5],
    [0.75, 0.75, 0.5],
  ],
  [
    [0.5, 0.5, 0.5, 0.5],
    [0.75, 0.25, 0.5, 0.5],
    [0.5, 0.25, 0.25, 0.5, 0.5],
    [0.25, 0.25, 0.5, 1],
    [0.75, 0.75, 0.5],
  ],
];
/** Mostly steps, sometimes a third, rarely a leap: what a person can sing. */
const MOVES = [-2, -1, -1, -1, 0, 1, 1, 1, 2, 2, -3, 4];
const HIGHEST_RISE = 5;
const LOWEST_RISE = -3;

export function createMotif(beatsPerBar: number, density: number, random: Random): Motif {
  const lengths: number[] = [];
  for (let beat = 0; beat < beatsPerBar; beat += 2) {
    const busy = Math.round(density + random.between(-0.6, 0.6));
    const cell = random.pick(at(CELLS, Math.min(CELLS.length - 1, Math.max(0, busy))));
    lengths.push(...(beatsPerBar - beat === 1 ? [1] : cell));
  }

  let start = 0;
  let rise = 0;
  const notes = lengths.map((length) => {
    const note = { start, length, rise };
    start += length;
    const move = random.pick(MOVES);
    rise += rise + move > HIGHEST_RISE || rise + move < LOWEST_RISE ? -move : move;
    return note;
  });
  const startsLate = notes.length > 2 && random.chance(0.3);
  return startsLate ? notes.slice(1) : notes;
}

/** The end of a phrase: the tune's first notes, then a long one and a breath. */
export function cadenceOf(motif: Motif, beatsPerBar: number): Motif {
  const opening = motif.filter((note) => note.start + note.length <= beatsPerBar / 2);
  const last = opening.at(-1);
  const start = last === undefined ? 0 : last.start + last.length;
  return [...opening, { start, length: (beatsPerBar - start) * 0.75, rise: 0 }];
}

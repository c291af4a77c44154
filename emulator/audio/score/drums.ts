import { at, type Random } from "../seeded.js";
import type { Style } from "../style/style.js";
import type { DrumName } from "../synth/drum-kits.js";
import type { Section, SectionKind } from "./form.js";
import { type Beat, GROOVES } from "./grooves.js";
import type { Hit } from "./score.js";

const VELOCITIES: Readonly<Record<string, number>> = {
  x: 1,
  o: 0.65,
  "-": 0.35,
};
const STEPS_PER_BEAT = 4;
const FILLS = ["s.s.s.ss", "..ttsstt", "s..s..ss", "sstt....", "t.t.t.ts", "....ssss"];
/** The drums that keep time where the others rest. */
const LIGHT_DRUMS: readonly DrumName[] = ["hat", "shaker", "ride", "rim", "openHat"];

/** The groove of every bar, thinner at the edges of the song, with a fill before and a crash on each new section. */
export function writeDrums(sections: readonly Section[], style: Style, random: Random): readonly Hit[] {
  if (style.groove === "none") return [];
  const fill = random.pick(FILLS);
  const hits: Hit[] = [];
  for (const [index, section] of sections.entries()) {
    const beat = beatOf(section.kind, style);
    for (let bar = 0; bar < section.bars; bar++) {
      const start = (section.startBar + bar) * style.beatsPerBar;
      const fills = bar === section.bars - 1 && section.kind !== "outro" && style.beatsPerBar === 4;
      const groove = readBeat(beat, start, style.beatsPerBar, random);
      if (fills) {
        const fillStart = start + 2;
        hits.push(...groove.filter((hit) => hit.start < fillStart || hit.drum === "kick"));
        hits.push(...readFill(index % 2 === 0 ? fill : at(FILLS, FILLS.indexOf(fill) + index), fillStart));
      } else {
        hits.push(...groove);
      }
    }
    if (index > 0 && (section.kind === "chorus" || section.kind === "outro")) {
      hits.push({
        start: section.startBar * style.beatsPerBar,
        drum: "crash",
        velocity: 0.7,
      });
    }
  }
  return hits;
}

function beatOf(kind: SectionKind, style: Style): Beat {
  const groove: { readonly verse: Beat; readonly chorus: Beat } = GROOVES[style.groove];
  switch (kind) {
    case "verse":
      return groove.verse;
    case "chorus":
      return { ...groove.verse, ...groove.chorus };
    case "intro":
    case "bridge":
    case "outro":
      return lightly(groove.verse);
    default:
      return kind satisfies never;
  }
}

function lightly(beat: Beat): Beat {
  const kept = LIGHT_DRUMS.flatMap((drum) => (beat[drum] === undefined ? [] : [[drum, beat[drum]] as const]));
  return kept.length === 0 ? beat : Object.fromEntries(kept);
}

function readBeat(beat: Beat, start: number, beatsPerBar: number, random: Random): readonly Hit[] {
  const hits: Hit[] = [];
  for (const [drum, steps] of entriesOf(beat)) {
    for (let step = 0; step < Math.min(steps.length, beatsPerBar * STEPS_PER_BEAT); step++) {
      const velocity = VELOCITIES[steps.charAt(step)];
      if (velocity === undefined) continue;
      hits.push({
        start: start + step / STEPS_PER_BEAT,
        drum,
        velocity: velocity * random.between(0.88, 1),
      });
    }
  }
  return hits;
}

function readFill(fill: string, start: number): readonly Hit[] {
  const drums: Readonly<Record<string, DrumName>> = { s: "snare", t: "tom" };
  return [...fill].flatMap((letter, step) => {
    const drum = drums[letter];
    const velocity = 0.55 + (0.35 * step) / fill.length;
    return drum === undefined ? [] : [{ start: start + step / STEPS_PER_BEAT, drum, velocity }];
  });
}

function entriesOf(beat: Beat): readonly (readonly [DrumName, string])[] {
  return DRUM_ORDER.map((drum) => [drum, beat[drum] ?? ""] as const);
}

const DRUM_ORDER: readonly DrumName[] = [
  "kick",
  "snare",
  "rim",
  "clap",
  "tom",
  "hat",
  "openHat",
  "ride",
  "shaker",
  "tambourine",
  "crash",
];

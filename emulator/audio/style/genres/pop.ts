import type { Style } from "../style.js";

/** The plainest genre; every other one says only where it leaves it. */
export const POP: Style = {
  tempo: [96, 124],
  beatsPerBar: 4,
  scales: ["major", "major", "minor"],
  sevenths: false,
  groove: "pop",
  kit: "acoustic",
  bass: ["eighths", "syncopated", "root"],
  bassInstrument: "fingerBass",
  chords: ["strum", "quarters", "arpeggio", "charleston"],
  chordInstruments: ["piano", "guitar", "electricPiano"],
  pad: "strings",
  leads: ["synthLead", "electricGuitar", "bell"],
  density: 1,
  swing: 0,
  swingBeats: 1,
  brightness: 1,
  drive: 0,
  reverb: 0.2,
  echo: 0.15,
  pump: 0,
};

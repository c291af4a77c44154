/**
 * What needs Node: saving audio to disk, and the journal in a directory.
 *
 * @module async-music/node
 */

export { fileJournal } from "./file-journal.js";
export { type SaveAudioOptions, saveAudio } from "./save-audio.js";

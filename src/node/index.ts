/**
 * Saves audio to disk, and keeps a journal in a directory. Needs the file system of Node, Bun or Deno.
 *
 * @module async-music/node
 */

export { fileJournal } from "./file-journal.js";
export { type SaveAudioOptions, saveAudio } from "./save-audio.js";

/**
 * What needs Node: saving audio to disk.
 *
 * @module async-music/node
 */

export { saveAudio } from "./save-audio.js";

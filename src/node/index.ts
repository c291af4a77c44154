export { saveAudio } from "./save-audio.js";

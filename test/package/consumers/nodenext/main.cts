import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { saveAudio } from "async-music/node";

export const client = new AsyncMusic(createEmulator().connection());
export const save: (typeof client)["audio"] extends never ? never : typeof saveAudio = saveAudio;

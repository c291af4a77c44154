import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { saveAudio } from "async-music/node";

export const client: AsyncMusic = new AsyncMusic(createEmulator().connection());
export const functions = [saveAudio, serve];

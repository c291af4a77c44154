import { registerMp3Encoder } from "@mediabunny/mp3-encoder";

export {
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  Mp3OutputFormat,
  Output,
} from "mediabunny";

// The encoder's registry is global and complains about a second entry; a module is evaluated once. Only `encodeMp3`
// imports this one, on first use, so nothing heavy is loaded before the first MP3.
registerMp3Encoder();

/** The extensions that a file of audio can get. */
export type AudioExtension = "mp3" | "wav" | "flac" | "ogg" | "m4a" | "bin";

const EXTENSIONS: Readonly<Record<string, AudioExtension>> = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/x-mp3": "mp3",
  "audio/mpeg3": "mp3",
  "audio/wav": "wav",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/vnd.wave": "wav",
  "audio/x-pn-wav": "wav",
  "audio/flac": "flac",
  "audio/x-flac": "flac",
  "audio/ogg": "ogg",
  "audio/opus": "ogg",
  "audio/vorbis": "ogg",
  "application/ogg": "ogg",
  "audio/mp4": "m4a",
  "audio/m4a": "m4a",
  "audio/x-m4a": "m4a",
};

/** Types that say nothing of the content. */
const GENERIC_TYPES = ["", "application/octet-stream"];

/** What the first bytes of each format look like: text at an offset. */
const SIGNATURES: readonly (readonly [offset: number, text: string, extension: AudioExtension])[] = [
  [0, "ID3", "mp3"],
  [8, "WAVE", "wav"],
  [0, "fLaC", "flac"],
  [0, "OggS", "ogg"],
  [4, "ftyp", "m4a"],
];

/** How many first bytes are enough to tell the format. */
export const SIGNATURE_LENGTH = 12;

/** Whether a `Content-Type` leaves the format open, so that the first bytes may decide. */
export function isGenericType(contentType: string | null): boolean {
  return GENERIC_TYPES.includes(mediaTypeOf(contentType));
}

/** The extension for a `Content-Type`: the only reliable statement of the real format (`audio_format` behaviour, 4). */
export function extensionOfType(contentType: string | null): AudioExtension {
  const mediaType = mediaTypeOf(contentType);
  return Object.hasOwn(EXTENSIONS, mediaType) ? (EXTENSIONS[mediaType] ?? "bin") : "bin";
}

/** The extension for content of a generic type, by its first bytes. */
export function extensionOfBytes(start: Uint8Array): AudioExtension {
  const text = String.fromCharCode(...start.subarray(0, SIGNATURE_LENGTH));
  const signature = SIGNATURES.find(([offset, expected]) => text.startsWith(expected, offset));
  if (signature !== undefined) return signature[2];
  return isMpegFrame(start) ? "mp3" : "bin";
}

/** Eleven set bits, then a version, a layer, a bit rate and a sample rate that exist. */
function isMpegFrame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const hasSync = first === 0xff && (second & 0xe0) === 0xe0;
  const isLayer3 = (second & 0x18) !== 0x08 && (second & 0x06) === 0x02;
  return hasSync && isLayer3 && third >> 4 !== 0x0f && (third & 0x0c) !== 0x0c;
}

function mediaTypeOf(contentType: string | null): string {
  return (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

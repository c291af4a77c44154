/** The extensions that a file of audio can get. */
export type AudioExtension = "mp3" | "wav" | "flac" | "ogg" | "m4a" | "bin";

/** The subtypes of `audio` of each extension, without `x-`. */
const SUBTYPES: readonly (readonly [extension: AudioExtension, ...subtypes: string[]])[] = [
  ["mp3", "mpeg", "mp3", "mpeg3"],
  ["wav", "wav", "wave", "vnd.wave", "pn-wav"],
  ["flac", "flac"],
  ["ogg", "ogg", "opus", "vorbis"],
  ["m4a", "mp4", "m4a"],
];

const GENERIC_TYPES = ["", "application/octet-stream"];

/** The types of what a gateway or a file server returns with the status 200 in place of audio. */
export const DOCUMENT_TYPE: RegExp = /^(text|application)\/([^;]+\+)?(html|json|xml)\b/i;

/** What the first bytes of each format look like: text at an offset. */
const SIGNATURES: readonly (readonly [offset: number, text: string, extension: AudioExtension])[] = [
  [0, "ID3", "mp3"],
  [8, "WAVE", "wav"],
  [0, "fLaC", "flac"],
  [0, "OggS", "ogg"],
  [4, "ftyp", "m4a"],
];

export const SIGNATURE_LENGTH = 12;

/** The end of a file name that has one of the extensions. */
export const AUDIO_EXTENSION: RegExp = /\.(?:mp3|wav|flac|ogg|m4a|bin)$/i;

/**
 * The extension for a `Content-Type`, the only reliable statement of the real format (`audio_format` behavior, 4); `null` if
 * it is missing or generic, so that the first bytes may decide.
 */
export function extensionOfType(contentType: string | null): AudioExtension | null {
  const mediaType = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (GENERIC_TYPES.includes(mediaType)) return null;
  const subtype = /^audio\/(?:x-)?(.*)|^application\/(ogg)$/.exec(mediaType)?.slice(1).join("") ?? "";
  return SUBTYPES.find(([, ...subtypes]) => subtypes.includes(subtype))?.[0] ?? "bin";
}

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

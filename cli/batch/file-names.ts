import { AUDIO_EXTENSION } from "../../src/audio/format.js";

/** The longest `id` in bytes of UTF-8: file systems allow 255, and the longest suffix is added to it. */
const LONGEST_ID_BYTES = 200;

/** Names that Windows keeps for devices, whatever follows a dot. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\.|$)/i;

/** The rules for a file name that Linux, macOS and Windows accept and keep; the first that applies is reported. */
const RULES: readonly (readonly [isBroken: (id: string) => boolean, message: string])[] = [
  [(id) => id === "", "is empty"],
  // A lone surrogate among them: it has no UTF-8.
  [(id) => /\p{C}/u.test(id), "contains a control character or another one that is not visible"],
  [(id) => /[<>:"/\\|?*]/.test(id), 'contains one of < > : " / \\ | ? *, which a file name must not'],
  [(id) => /^[.-]/.test(id), "begins with a dot or a hyphen"],
  [(id) => /^\s|[\s.]$/.test(id), "begins or ends with a space, or ends with a dot"],
  [(id) => RESERVED.test(id), "is a name that Windows reserves"],
  [
    (id) => AUDIO_EXTENSION.test(id) || /\.txt$/i.test(id),
    "ends with a file extension, which is added to it",
  ],
  [(id) => Buffer.byteLength(id) > LONGEST_ID_BYTES, `is longer than ${LONGEST_ID_BYTES} bytes`],
];

/** What keeps an `id` from being the name of files on Linux, macOS and Windows; `null` if nothing does. */
export function nameMistake(id: string): string | null {
  return RULES.find(([isBroken]) => isBroken(id))?.[1] ?? null;
}

/** The same for all names that some file system takes for one: macOS and Windows ignore case, macOS the form of accents. */
export function foldedName(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** The name of a clip's file, counted from 0, without its extension. */
export function clipName(id: string, index: number): string {
  return index === 0 ? id : `${id}-${index + 1}`;
}

/** The `id` whose second or later clip would have the name of this `id`: `rain` of `rain-2`; `null` if there is none. */
export function idBefore(id: string): string | null {
  const [, first, number] = /^(.+)-([1-9]\d*)$/.exec(id) ?? [];
  return first === undefined || Number(number) < 2 ? null : first;
}

/** The characters of each font of the bundle, in the order of preference. */
export const BUNDLED = [
  [
    "latin",
    /[ -~\u00a0-\u00ac\u00ae-\u00ff\u0131\u0152\u0153\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u2039\u203a\u20ac\u2122\u2212]/,
  ],
  [
    "latinExtended",
    /[\u0100-\u0130\u0132-\u0151\u0154-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u1e80-\u1e85\u1e9e]/,
  ],
  ["vietnamese", /[\u1ea0-\u1ef9]/],
  ["greek", /[\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce]/],
  ["cyrillic", /[\u0400-\u045f\u0490\u0491\u04b0\u04b1\u2116]/],
  ["cyrillicExtended", /[\u048a-\u048f\u0492-\u0513]/],
  ["hebrew", /[\u05b0-\u05be\u05c1\u05c2\u05c7\u05d0-\u05ea\u20aa]/],
  [
    "arabic",
    /[\u060c\u061b\u061f\u0621-\u063a\u0640-\u0655\u0660-\u066d\u0670\u0671\u067e\u0686\u0698\u06a4\u06a9\u06af\u06cc\u06f0-\u06f9]/,
  ],
] as const;

/** What the font package prints as well: scripts that need no joining of letters, in the first plane of Unicode. */
const IN_PACKAGE =
  /(?![\p{M}\p{C}\u{10000}-\u{10ffff}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Armn}\p{sc=Geor}\p{sc=Ethi}\p{sc=Zyyy}]/u;

const PACKAGE = "@fontsource/unifontex";

/** They guide breaks, joining and direction, and are not drawn: the soft hyphen, the zero-width non-joiner and the direction marks. */
const INVISIBLE = /[\u00ad\u200c\u200e\u200f]/;

export type FontName = (typeof BUNDLED)[number][0] | "package";

/** The font that draws a character; null for none. */
export function fontOf(character: string): FontName | null {
  for (const [name, characters] of BUNDLED) if (characters.test(character)) return name;
  return IN_PACKAGE.test(character) && !INVISIBLE.test(character) ? "package" : null;
}

/** The text with precomposed letters and single spaces. */
export function normalize(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/g, " ");
}

const INSTALL = `Install \`${PACKAGE}\`. It is read from disk: browsers and workers cannot use it`;

/** Why an invoice cannot show a text, as the rest of a sentence after its name; null if it can. */
export function printingProblem(text: string): string | null {
  for (const character of normalize(text)) {
    if (INVISIBLE.test(character)) continue;
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    const found = `contains "${character}" (U+${code})`;
    const font = fontOf(character);
    if (font === null) return `${found}, which cannot be printed on an invoice. Remove or replace it`;
    if (font === "package" && fontPackageUrl() === null)
      return `${found}, which needs a font that is not installed. ${INSTALL}`;
  }
  return null;
}

/** The file of the font package; null where it is not installed, or there are no files. */
function fontPackageUrl(): URL | null {
  try {
    const url = new URL(import.meta.resolve(`${PACKAGE}/files/unifontex-latin-400-normal.woff`));
    return url.protocol === "file:" && fileSystem()?.existsSync(url) === true ? url : null;
  } catch {
    return null;
  }
}

/** @throws RangeError where the font package is missing. */
export function readFontPackage(): Uint8Array<ArrayBuffer> {
  const url = fontPackageUrl();
  const file = url === null ? undefined : fileSystem()?.readFileSync(url);
  if (file === undefined)
    throw new RangeError(`The billing information needs a font that is not installed. ${INSTALL}.`);
  return new Uint8Array(file);
}

interface FileSystem {
  existsSync(url: URL): boolean;
  readFileSync(url: URL): Uint8Array;
}

/** Of Node, Bun and Deno. Named without Node's types, which the core compiles without. */
function fileSystem(): FileSystem | undefined {
  const { process: host } = globalThis as { process?: { getBuiltinModule?(name: string): FileSystem } };
  return host?.getBuiltinModule?.("node:fs");
}

/** Letters that have no decomposition, and how they are written where they can't be. */
const SPELLINGS: Readonly<Record<string, string>> = {
  Ł: "L",
  ł: "l",
  Đ: "D",
  đ: "d",
  Ħ: "H",
  ħ: "h",
  ı: "i",
  Ŧ: "T",
  ŧ: "t",
  Ŋ: "N",
  ŋ: "n",
  ẞ: "SS",
  "‐": "-",
  "‑": "-",
  "−": "-",
  ʻ: "'",
  ʼ: "'",
};

/** What the standard fonts of PDF have, besides ASCII and Latin-1. */
const WINDOWS_1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";

/**
 * A text in the letters that every PDF reader has fonts for, which are those of Western Europe: others lose their
 * accents, or are spelled, and what is left of other scripts is a question mark for each sign.
 */
export function printable(text: string): string {
  return Array.from(text.normalize("NFC"), printableSign).join("").replaceAll(/\s+/g, " ");
}

function printableSign(sign: string): string {
  if (/[\p{Z}\s]/u.test(sign)) return " ";
  if (isPrintable(sign)) return sign;
  const spelled = SPELLINGS[sign] ?? sign.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const letters = Array.from(spelled)
    .filter((each) => isPrintable(each))
    .join("");
  return letters === "" ? (/\p{C}|\p{M}/u.test(sign) ? "" : "?") : letters;
}

function isPrintable(sign: string): boolean {
  return /^[\x20-\x7e\xa1-\xac\xae-\xff]$/.test(sign) || WINDOWS_1252.includes(sign);
}

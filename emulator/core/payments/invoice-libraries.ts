import cyrillic from "@fontsource/open-sans/files/open-sans-cyrillic-400-normal.woff";
import cyrillicExtended from "@fontsource/open-sans/files/open-sans-cyrillic-ext-400-normal.woff";
import greek from "@fontsource/open-sans/files/open-sans-greek-400-normal.woff";
import hebrew from "@fontsource/open-sans/files/open-sans-hebrew-400-normal.woff";
import latin from "@fontsource/open-sans/files/open-sans-latin-400-normal.woff";
import latinExtended from "@fontsource/open-sans/files/open-sans-latin-ext-400-normal.woff";
import vietnamese from "@fontsource/open-sans/files/open-sans-vietnamese-400-normal.woff";
import arabic from "@fontsource/rubik/files/rubik-arabic-400-normal.woff";

export { default as createBidi } from "bidi-js";

export const FONTS = [
  ["latin", latin],
  ["latinExtended", latinExtended],
  ["vietnamese", vietnamese],
  ["greek", greek],
  ["cyrillic", cyrillic],
  ["cyrillicExtended", cyrillicExtended],
  ["hebrew", hebrew],
  ["arabic", arabic],
] as const;

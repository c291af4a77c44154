import { transform } from "esbuild";
import type { Options } from "tsup";

/** Packages that the PDF library imports and an invoice does not need, each with its replacement. */
export const unusedPackages = Object.fromEntries(
  ["@noble/ciphers/aes", "brotli/decompress.js", "linebreak", "png-js"].map((name) => [
    name,
    "./tools/build/unused-package.ts",
  ]),
);

/** Names of the chunks, or text in them, that are other packages' code alone. */
const LIBRARIES = /invoice-libraries|node_modules\/commander\/esm/;

/**
 * Minifies the chunks of other packages' code, for 0.5 MB less to install. The PDF library also computes the URL of a
 * color profile as it loads, which is never read: workers have no URL to start from, and bundlers would look for the file.
 */
export const minifyLibraries: NonNullable<Options["plugins"]>[number] = {
  name: "minify-libraries",
  async renderChunk(code, { path }) {
    if (!LIBRARIES.test(path) && !LIBRARIES.test(code)) return undefined;
    const define = { "import.meta.url": '"file:///"' };
    return { code: (await transform(code, { minify: true, format: "esm", define })).code };
  },
};

import { transform } from "esbuild";
import type { Options } from "tsup";

/** Packages that the PDF library imports and an invoice does not need, each with its replacement. */
export const unusedPackages = Object.fromEntries(
  ["@noble/ciphers/aes", "brotli/decompress.js", "linebreak", "png-js"].map((name) => [
    name,
    "./scripts/unused-package.ts",
  ]),
);

/**
 * Minifies the chunk of other packages' code that makes invoices, for 0.5 MB less to install. The PDF library also
 * computes the URL of a color profile as it loads, which is never read: workers have no URL to start from, and bundlers
 * would look for the file.
 */
export const minifyLibraries: NonNullable<Options["plugins"]>[number] = {
  name: "minify-libraries",
  async renderChunk(code, { path }) {
    if (!path.includes("invoice-libraries")) return undefined;
    const define = { "import.meta.url": '"file:///"' };
    return { code: (await transform(code, { minify: true, format: "esm", define })).code };
  },
};

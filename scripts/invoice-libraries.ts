import { transform } from "esbuild";
import type { Options } from "tsup";

/** Packages that the PDF library imports and an invoice never needs, each with what stands in its place. */
export const unusedPackages = Object.fromEntries(
  ["@noble/ciphers/aes", "brotli/decompress.js", "linebreak", "png-js"].map((name) => [
    name,
    "./scripts/unused-package.ts",
  ]),
);

/** Minifies the chunk of other packages' code that makes invoices: 0.5 MB less to install. */
export const minifyLibraries: NonNullable<Options["plugins"]>[number] = {
  name: "minify-libraries",
  async renderChunk(code, { path }) {
    if (!path.includes("invoice-libraries")) return undefined;
    return { code: (await transform(code, { minify: true, format: "esm" })).code };
  },
};

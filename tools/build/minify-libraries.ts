import { transform } from "esbuild";
import type { Options } from "tsup";

/** Names of the chunks, or text in them, that are other packages' code alone. */
const LIBRARIES =
  /invoice-libraries|node_modules\/(?:commander\/esm|csv-parse\/lib|@modelcontextprotocol\/sdk)/;

/** Minifies the chunks of other packages' code. */
export const minifyLibraries: NonNullable<Options["plugins"]>[number] = {
  name: "minify-libraries",
  async renderChunk(code, { path }) {
    if (!LIBRARIES.test(path) && !LIBRARIES.test(code)) return undefined;
    return { code: (await transform(code, { minify: true, format: "esm" })).code };
  },
};

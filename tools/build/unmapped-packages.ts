import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Reduces other packages' code in the source maps to file names. Their sources are not in our package, and their lines
 * would be half of all maps.
 */
export const unmappedPackages: Plugin = {
  name: "unmapped-packages",
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: "AAAA" });
      const comment = `//# sourceMappingURL=data:application/json;base64,${btoa(map)}`;
      return { contents: `${code}\n${comment}`, loader: "js" };
    });
  },
};

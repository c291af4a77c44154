import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Lets the source maps say of other packages' code no more than the name of its file: their sources are not in our
 * package, so the lines of it, which would be half of all our maps, lead nowhere.
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

/** Lets Node run the sources: resolves the package's own names, and relative imports of `.js`, to their `.ts` files. */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const root = new URL("../../", import.meta.url);
const { compilerOptions } = JSON.parse(readFileSync(new URL("tsconfig.json", root), "utf8"));

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [named] = compilerOptions.paths[specifier] ?? [];
    if (named !== undefined) return nextResolve(new URL(named, root).href, context);
    const isSource = specifier.startsWith(".") && context.parentURL?.endsWith(".ts");
    return nextResolve(isSource ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});

/** Lets Node run the sources as they are: a relative import of `.js` is one of the `.ts` that it is made from. */

import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isSource = specifier.startsWith(".") && context.parentURL?.endsWith(".ts");
    return nextResolve(isSource ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});

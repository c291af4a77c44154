/** Lets Node run the sources as they are: their imports name the `.js` files that a build would make of them. */

import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isOurs = specifier.startsWith(".") && !(context.parentURL ?? "").includes("/node_modules/");
    return nextResolve(isOurs ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});

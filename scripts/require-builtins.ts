import type { Plugin } from "esbuild";

/** Lets bundled CommonJS packages `require("node:fs")`: an ES module has no `require` to hand on. */
export const requireBuiltins: Plugin = {
  name: "require-builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind === "require-call" ? { path, namespace: "required-builtin" } : { path, external: true },
    );
    build.onLoad({ filter: /./, namespace: "required-builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

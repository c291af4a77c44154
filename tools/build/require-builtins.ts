import type { Plugin } from "esbuild";

/** Lets bundled CommonJS packages call `require("node:fs")`, since an ES module has no `require`. */
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

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url);

/** Imports of the suite, and their replacements in the bundles: the built package. */
const STAND_INS: Readonly<Record<string, string>> = {
  "src/index.ts": "dist/index.js",
  "src/node/index.ts": "dist/node.js",
  "emulator/index.ts": "dist/emulator.js",
  "emulator/msw.ts": "dist/emulator-msw.js",
  "emulator/node.ts": "dist/emulator-node.js",
};

/** Bundles an entry of `test/runtimes` with the built package and its dependencies. Returns the file. */
export async function bundle(entry: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const outfile = `${folder}/${entry}.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL(`test/runtimes/${entry}.ts`, root))],
    outfile,
    bundle: true,
    format: "esm",
    ...(entry.startsWith("page")
      ? { platform: "browser" }
      : { platform: "neutral", mainFields: ["module", "main"] }),
    target: "es2023",
    external: ["node:*"],
    alias: { vitest: fileURLToPath(new URL("test/runtimes/test-runner.ts", root)) },
    logLevel: "error",
    plugins: [
      {
        name: "the built package",
        setup({ onResolve }) {
          onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) => {
            const file = new URL(path.replace(/\.js$/, ".ts"), `file://${resolveDir}/`).href.slice(
              root.href.length,
            );
            const built = STAND_INS[file];
            return built === undefined ? undefined : { path: fileURLToPath(new URL(built, root)) };
          });
        },
      },
    ],
  });
  return outfile;
}

import { cpSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { thirdPartyLicenses } from "./third-party-licenses.js";

const source = "emulator/dashboard";
const folder = "dist/dashboard";

/** Builds the files of the emulator's dashboard, and writes the licenses of the bundled packages. */
export async function buildDashboard(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await build({
    entryPoints: [`${source}/main.tsx`, `${source}/style.css`],
    outdir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    chunkNames: "[name]-[hash]",
    plugins: [thirdPartyLicenses(`${folder}/THIRD-PARTY-LICENSES`)],
  });
  for (const file of ["index.html", "icon.svg"]) cpSync(`${source}/${file}`, `${folder}/${file}`);
}

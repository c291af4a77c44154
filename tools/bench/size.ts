import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { eagerlyLoaded } from "../build/eagerly-loaded.ts";
import { type Row, significant, type Table } from "./report.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const peers = `${root}tools/bench/peers`;

const OURS = 'export * from "./src/index.ts"';

/** The export of each other library that is its client. */
const CLIENTS = {
  openai: "OpenAI",
  "@anthropic-ai/sdk": "Anthropic",
  "@fal-ai/client": "fal",
  "@elevenlabs/elevenlabs-js": "ElevenLabsClient",
  assemblyai: "AssemblyAI",
  replicate: "default",
  axios: "default",
};

/** The entries that an application can import beside the client. */
const ENTRIES = {
  "async-music/node": "src/node/index.ts",
  "async-music/redis": "src/databases/redis/index.ts",
  "async-music/postgres": "src/databases/postgres/index.ts",
  "async-music/opentelemetry": "src/opentelemetry/index.ts",
};

/** Commands whose code is loaded when they run, by the beginning of their file's name in `dist`. */
const COMMANDS = { "async-music drift": "drift-", "async-music mcp": "server-" };

/** The size of a bundle with each library, of the parts that load apart, and of an installation. */
export async function measureSize(): Promise<Table[]> {
  const clientBytes = await bundledBytes(OURS, root);
  const rows: Row[] = [
    { name: "async-music", value: significant(clientBytes / 1000), promise: { atMost: 45 } },
  ];
  for (const [name, client] of Object.entries(CLIENTS)) {
    const bytes = await bundledBytes(`export { ${client} } from "${name}"`, peers);
    rows.push({ name, value: significant(bytes / 1000) });
  }
  const added: Row[] = [];
  for (const [name, source] of Object.entries(ENTRIES)) {
    const both = `${OURS}; export * from "./${source}"`;
    added.push({ name, value: significant(((await bundledBytes(both, root)) - clientBytes) / 1000) });
  }
  for (const [name, prefix] of Object.entries(COMMANDS)) {
    const files = globSync(`${root}dist/${prefix}*.js`);
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
    added.push({ name, value: significant(bytes / 1000) });
  }
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const packed = { name: "tarball, MB", value: significant(packedBytes() / 1e6), promise: { atMost: 1 } };
  const needed = { name: "dependencies", value: Object.keys(dependencies).length, promise: { atMost: 2 } };
  return [
    { title: "Bundle with all dependencies, minified and compressed", unit: "kB", rows },
    {
      title: "Added by an entry or a command, compressed, without its optional peers",
      unit: "kB",
      rows: added,
    },
    { title: "Installation", unit: "size", rows: [packed, needed] },
  ];
}

/** The compressed size of what an application loads at once, without the parts that a later call loads. */
async function bundledBytes(code: string, folder: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    splitting: true,
    outdir: "out",
    minify: true,
    format: "esm",
    target: "es2023",
    platform: "browser",
    external: ["node:*", ...builtinModules, "@opentelemetry/api"],
    write: false,
    metafile: true,
  });
  const eager = eagerlyLoaded(metafile, "out/stdin.js");
  return outputFiles
    .filter(({ path }) => eager.has(relative(".", path).replaceAll("\\", "/")))
    .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

function packedBytes(): number {
  const report = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root });
  return JSON.parse(report.toString())[0].size;
}

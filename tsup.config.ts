import { defineConfig } from "tsup";
import { buildDashboard } from "./tools/build/build-dashboard.js";
import { invoiceFonts } from "./tools/build/invoice-fonts.js";
import { mcpLibrary } from "./tools/build/mcp-library.js";
import { minifyLibraries } from "./tools/build/minify-libraries.js";
import { requireBuiltins } from "./tools/build/require-builtins.js";
import { removeMaps, thinMaps } from "./tools/build/thin-maps.js";
import { thirdPartyLicenses } from "./tools/build/third-party-licenses.js";
import { unmappedPackages } from "./tools/build/unmapped-packages.js";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    node: "src/node/index.ts",
    redis: "src/databases/redis/index.ts",
    postgres: "src/databases/postgres/index.ts",
    opentelemetry: "src/opentelemetry/index.ts",
    emulator: "emulator/index.ts",
    "emulator-msw": "emulator/msw.ts",
    "emulator-node": "emulator/node.ts",
    "emulator-vitest": "emulator/vitest.ts",
    "emulator-worlds": "emulator/worlds/index.ts",
    cli: "cli/main.ts",
  },
  format: ["esm"],
  platform: "neutral",
  target: ["es2023", "node22"],
  splitting: true,
  // The types are built at the same time.
  clean: ["!types/**"],
  // What an installation brings along; msw, the limiter and vitest are the user's own.
  external: ["ky", "zod", "msw", "vitest", "ioredis", "pg", "redis"],
  // The emulator's and the command line's devDependencies: their code ships in our chunks, their licenses beside it.
  noExternal: ["commander", "csv-parse", "@modelcontextprotocol/sdk"],
  esbuildPlugins: [
    invoiceFonts,
    mcpLibrary,
    requireBuiltins,
    unmappedPackages,
    thirdPartyLicenses("dist/THIRD-PARTY-LICENSES"),
  ],
  // "http" for "node:http" would not resolve in workers and Deno.
  removeNodeProtocol: false,
  sourcemap: true,
  async onSuccess() {
    removeMaps();
    thinMaps();
    await buildDashboard();
  },
  esbuildOptions(options) {
    // The maps point at the sources, which the package holds.
    options.sourcesContent = false;
  },
  plugins: [minifyLibraries],
});

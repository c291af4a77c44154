/** The package's entry points, by the part of an import after `async-music`. */
export const entries = {
  ".": { script: "dist/index.js", types: "dist/types/src/index.d.ts" },
  "./node": { script: "dist/node.js", types: "dist/types/src/node/index.d.ts" },
  "./redis": { script: "dist/redis.js", types: "dist/types/src/databases/redis/index.d.ts" },
  "./postgres": { script: "dist/postgres.js", types: "dist/types/src/databases/postgres/index.d.ts" },
  "./opentelemetry": { script: "dist/opentelemetry.js", types: "dist/types/src/opentelemetry/index.d.ts" },
  "./emulator": { script: "dist/emulator.js", types: "dist/types/emulator/index.d.ts" },
  "./emulator/msw": { script: "dist/emulator-msw.js", types: "dist/types/emulator/msw.d.ts" },
  "./emulator/node": { script: "dist/emulator-node.js", types: "dist/types/emulator/node.d.ts" },
  "./emulator/vitest": { script: "dist/emulator-vitest.js", types: "dist/types/emulator/vitest.d.ts" },
  "./emulator/worlds": { script: "dist/emulator-worlds.js", types: "dist/types/emulator/worlds/index.d.ts" },
} as const;

/** The entry points that need Node's modules. The others need web standards only. */
export const nodeEntries: readonly string[] = ["./node", "./emulator/node"];

import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { fontModule } from "./tools/build/invoice-fonts.js";

/** What a user imports, as the sources that it is built from: these tests need no build. */
const sources = {
  "async-music": "src/index.ts",
  "async-music/node": "src/node/index.ts",
  "async-music/redis": "src/databases/redis/index.ts",
  "async-music/postgres": "src/databases/postgres/index.ts",
  "async-music/opentelemetry": "src/opentelemetry/index.ts",
  "async-music/emulator": "emulator/index.ts",
  "async-music/emulator/msw": "emulator/msw.ts",
  "async-music/emulator/node": "emulator/node.ts",
  "async-music/emulator/vitest": "emulator/vitest.ts",
  "async-music/emulator/worlds": "emulator/worlds/index.ts",
};

export const alias = Object.entries(sources).map(([name, path]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(path, import.meta.url)),
}));

/** Tests of the built package, which is built once before them. */
const built = [
  "test/{package,examples}/**/*.test.ts",
  "test/cli/{emulator,process,seed-file,state-file}.test.ts",
];

/** Slow tests, and tests with the packages of `tools/`: `npm run check` runs them, and `npm test` does not. */
const long = [
  "test/{interleavings,isolation,kill,pacing}/**/*.test.ts",
  "test/certify/*.test.ts",
  "test/cli/{drift,drift-*,future,mcp,mcp-conformance,mcp-limits,relay}.test.ts",
  "test/hostile/{abort-after-collection,regular-expressions}.test.ts",
  "test/message-reads.test.ts",
  "test/dashboard/copied-code.test.ts",
  "test/contract/{determinism,msw,msw-2,performance,policies}.test.ts",
  // It replaces MSW 3 by MSW 2, also for other files in its worker.
  "test/emulator/msw-2.test.ts",
  "test/worlds/{corpus,explore,future,small-scopes}.test.ts",
  "test/emulator/{control-rules,fuzz,future,invoices,long-chain,money,pipelining,purchase-figures,seed-file-order}.test.ts",
  "test/metrics/ledger.test.ts",
  "test/sdk/{estimate,fleet,follow-tenants,pacer-{load,surprises},shared-ends}.test.ts",
  "test/sdk/memory/*.test.ts",
  "test/sdk/rules/pacer/{any-load,loads}.test.ts",
  "test/types/editor.test.ts",
  "test/docs/prose.test.ts",
  "test/openapi/{client,generated,linter}.test.ts",
];

/** Slow tests of the built package: they compile projects, or start many processes. */
const slowBuilt = [
  "test/cli/{emulator,process,seed-file,state-file}.test.ts",
  "test/package/{agent-server,bundle,entries,maps,tarball}.test.ts",
  "test/examples/{buckets,cloudflare,containers,functions,next,outside,python,servers,shared-emulator,storage}.test.ts",
  "test/package/{guides,guide-tests}.test.ts",
];

/** Tests of the built page in Debian's Chromium. */
const inChromium = ["test/dashboard/page/**/*.test.ts", "test/docs/site.test.ts", "test/runtimes/*.test.ts"];

/** Tests with Redis, which is started once before them. */
const onRedis = ["test/redis/**/*.test.ts"];

/** Tests with PostgreSQL, which is started once before them. */
const onPostgres = ["test/postgres/**/*.test.ts", "test/examples/shop.test.ts"];

/** Tests that need the packages of `tools/runners`, `tools/next` and `tools/dom`, which `npm run test:runners` installs. */
const inRunners = ["test/runners/*.test.ts"];

/** Limits for tests that never end. They are long enough for a busy machine with one core, and for a hook that builds the site. */
const nets = { testTimeout: 300_000, hookTimeout: 300_000 };

/** Tests that often wait have more workers than cores. Those that wait for a process or for Chromium run before those of a database. */
const maxWorkers = Math.ceil(1.5 * availableParallelism());
const inProcesses = { sequence: { groupOrder: 1 } };
const inDatabases = { maxWorkers: 2 * availableParallelism(), sequence: { groupOrder: 2 } };

/** The files that take longest, a minute or more on a busy machine. */
const SLOWEST =
  /\/(certify\/clients|dashboard\/page\/usability|docs\/site|examples\/servers|postgres\/(engines|kill)|runners\/typescript)\.test\.ts$/;

/** Begins with the slowest files of those that run side by side: at the end, the other workers would wait for them. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const orderOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const isSlow = ({ moduleId }: TestSpecification) => SLOWEST.test(moduleId);
    return sorted.sort(
      (one, other) => orderOf(one) - orderOf(other) || Number(isSlow(other)) - Number(isSlow(one)),
    );
  }
}

/** Fails each test after which something that it began has not ended. */
const setupFiles = "test/lifecycle/after-each.ts";

/** Fonts as the build makes them. */
const fonts: Plugin = {
  name: "fonts",
  enforce: "pre",
  load: (id) => (id.endsWith(".woff") ? fontModule(id) : null),
};

/** Finds the built package from the example for Next.js, which has a `package.json` of its own. */
const fromNext: Plugin = {
  name: "from-next",
  enforce: "pre",
  async resolveId(name, importer) {
    const isOurs = /^async-music(\/|$)/.test(name) && importer?.includes("/examples/next/");
    return isOurs ? this.resolve(name, fileURLToPath(import.meta.url)) : null;
  },
};

export default defineConfig({
  test: {
    maxWorkers,
    sequence: { sequencer: SlowestFirst },
    reporters: ["default", "./tools/totals/reporter.ts"],
    coverage: {
      provider: "custom",
      customProviderModule: "./tools/coverage/provider.ts",
      include: ["{src,emulator,cli}/**/*.ts"],
      reporter: ["text-summary"],
    },
    projects: [
      {
        resolve: { alias },
        plugins: [fonts],
        test: {
          ...nets,
          setupFiles,
          name: "sources",
          include: ["test/**/*.test.ts"],
          exclude: [...built, ...long, ...inChromium, ...onRedis, ...onPostgres, ...inRunners],
          // No test leaves anything behind, and loading the sources anew for each file takes a third of the time.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        plugins: [fonts],
        test: {
          ...nets,
          ...inProcesses,
          name: "long",
          include: long,
          setupFiles: [setupFiles, "test/support/encoded-once.ts"],
        },
      },
      {
        resolve: { alias },
        test: {
          ...nets,
          ...inDatabases,
          setupFiles,
          name: "redis",
          include: onRedis,
          globalSetup: "test/redis/server.ts",
        },
      },
      {
        resolve: { alias },
        test: {
          ...nets,
          ...inDatabases,
          setupFiles,
          name: "postgres",
          include: onPostgres,
          globalSetup: "test/postgres/server.ts",
        },
      },
      {
        plugins: [fromNext],
        test: {
          ...nets,
          name: "built",
          include: built,
          exclude: [...slowBuilt, ...onPostgres],
          globalSetup: "test/package/build.ts",
        },
      },
      {
        plugins: [fromNext],
        test: {
          ...nets,
          ...inProcesses,
          name: "built-long",
          include: slowBuilt,
          globalSetup: "test/package/build.ts",
        },
      },
      {
        test: { ...nets, name: "runners", include: inRunners, globalSetup: "test/package/build.ts" },
      },
      {
        test: {
          ...nets,
          ...inProcesses,
          name: "page",
          include: inChromium,
          globalSetup: "test/dashboard/page/support/install.ts",
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: "types",
          include: [],
          // Other errors than the type tests' own are `npm run types`' to report.
          typecheck: {
            enabled: true,
            only: true,
            checker: "tsc",
            tsconfig: "test/types/tsconfig.json",
            include: ["test/types/**/*.test-d.ts"],
            ignoreSourceErrors: true,
          },
        },
      },
    ],
  },
});

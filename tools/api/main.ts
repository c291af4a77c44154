/** Compares each entry point's public surface with the committed `api/*.api.md`; with `--write`, renews those. */

import { mkdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";

const entries = {
  index: "src/index",
  node: "src/node/index",
  redis: "src/databases/redis/index",
  postgres: "src/databases/postgres/index",
  opentelemetry: "src/opentelemetry/index",
  emulator: "emulator/index",
  "emulator-msw": "emulator/msw",
  "emulator-node": "emulator/node",
  "emulator-vitest": "emulator/vitest",
  "emulator-worlds": "emulator/worlds/index",
};

const quiet = { default: { logLevel: ExtractorLogLevel.None } };
const localBuild = process.argv.includes("--write");
for (const folder of ["api", ".reports/api"]) mkdirSync(folder, { recursive: true });

const configs = Object.entries(entries).map(([name, path]) => configure(name, `dist/types/${path}.d.ts`));
const compilerState = CompilerState.create(configs[0] as ExtractorConfig, {
  additionalEntryPoints: configs.map((config) => config.mainEntryPointFilePath),
});

for (const config of configs) {
  const { succeeded, apiReportChanged } = Extractor.invoke(config, {
    compilerState,
    localBuild,
    messageCallback,
  });
  if (!succeeded) process.exitCode = 1;
  if (!apiReportChanged) continue;
  const report = relative(".", config.reportFilePath);
  console.log(
    localBuild ? `${report} is renewed` : `${report} differs: npm run api:write, then review the diff`,
  );
}

function configure(name: string, mainEntryPointFilePath: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    packageJsonFullPath: resolve("package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: resolve(),
      mainEntryPointFilePath: resolve(mainEntryPointFilePath),
      newlineKind: "lf",
      compiler: { tsconfigFilePath: resolve("tsconfig.build.json"), skipLibCheck: true },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: resolve("api"),
        reportTempFolder: resolve(".reports/api"),
        // A type that is used but not exported can break users too. What the fixtures use, the others export.
        includeForgottenExports: !["emulator-vitest", "emulator-worlds"].includes(name),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      // typedoc checks the docstrings.
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: quiet,
        tsdocMessageReporting: quiet,
      },
    },
  });
}

function messageCallback(message: ExtractorMessage): void {
  message.handled = message.logLevel !== ExtractorLogLevel.Error;
}

import { basename, join } from "node:path";
import type { Emulator } from "async-music/emulator";
import { build } from "esbuild";
import { folderOfFile } from "../support/folder.js";

/** Packages of CommonJS call `require`, which an ES module does not have. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** Bundles a script, which then starts faster than its sources, into a folder that is removed after the tests of the file. */
export async function bundle(entry: string) {
  const folder = folderOfFile();
  await build({
    ...{ entryPoints: [entry], outdir: folder, outExtension: { ".js": ".mjs" } },
    ...{ bundle: true, splitting: true, platform: "node", format: "esm" },
    ...{ external: ["pg", "ioredis", "redis"], banner: { js: REQUIRE } },
  });
  return { folder, script: join(folder, basename(entry).replace(/ts$/, "mjs")) };
}

/** All tasks that were paid for, with their inputs. */
export function paidTasks({ accounts, accountId, apiKey, fetch, url }: Emulator) {
  const freezes = accounts.get(accountId).ledger.filter(({ kind }) => kind === "freeze");
  return Promise.all(
    freezes.map(async ({ task_id }) => {
      const response = await fetch(`${url}/api/v1/task/${task_id}`, { headers: { "x-api-key": apiKey } });
      const { data } = await response.json();
      return { taskId: String(task_id), input: data.input };
    }),
  );
}

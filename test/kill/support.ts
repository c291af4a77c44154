import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Emulator } from "async-music/emulator";
import { type BuildOptions, build } from "esbuild";

/** Bundles a script, which then starts faster than its sources, into a folder of its own. */
export async function bundle(entry: string, options: BuildOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "async-music-kill-"));
  await build({
    ...{ entryPoints: [entry], outdir: folder, outExtension: { ".js": ".mjs" } },
    ...{ bundle: true, platform: "node", format: "esm" },
    ...options,
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

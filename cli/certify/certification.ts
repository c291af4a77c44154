import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClockMode } from "../../emulator/index.js";
import type { Client } from "./client.js";
import type { Misstep } from "./judges.js";
import { type ClientRun, inspect } from "./run.js";
import type { Scenario, Topic } from "./scenario.js";
import { FIRST } from "./scenarios/creating.js";
import { createService } from "./service.js";

/** What a client did in a scenario. */
export interface ScenarioVerdict {
  readonly topic: string;
  readonly scenario: Scenario;
  readonly result: "passed" | "failed" | "not run";
  /** What the client did wrong; `null` if it did nothing wrong. */
  readonly misstep: Misstep | null;
  /** `null` if it was not run. */
  readonly run: ClientRun | null;
}

export interface CertifyOptions {
  readonly concurrency: number;
  /** How long the client may take for one song. */
  readonly timeoutMs: number;
  /** @defaultValue "real" */
  readonly clock?: ClockMode;
  readonly signal: AbortSignal;
  onVerdict?(verdict: ScenarioVerdict): void;
}

/** Runs a client in all scenarios. If it fails the one without a fault, the others are not run. */
export async function certifyClient(
  client: Client,
  topics: readonly Topic[],
  options: CertifyOptions,
): Promise<ScenarioVerdict[]> {
  const all = topics.flatMap(({ title, scenarios }) =>
    scenarios.map((scenario) => ({ topic: title, scenario })),
  );
  const verdicts: ScenarioVerdict[] = [];
  const judge = async (index: number) => {
    const each = all[index];
    if (each === undefined) return;
    const verdict = { ...each, ...(await tryScenario(client, each.scenario, index, options)) };
    verdicts[index] = verdict;
    options.onVerdict?.(verdict);
  };
  await judge(0);
  // `topics` may lack the scenario without a fault.
  if (verdicts[0]?.scenario === FIRST && verdicts[0].result === "failed")
    return all.map(
      (each, index) => verdicts[index] ?? { ...each, result: "not run", misstep: null, run: null },
    );
  let next = 1;
  const work = async () => {
    while (next < all.length) await judge(next++);
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, all.length) }, work));
  return verdicts;
}

async function tryScenario(
  client: Client,
  { arrange = {}, judge }: Scenario,
  index: number,
  { timeoutMs, clock = "real", signal }: CertifyOptions,
): Promise<Pick<ScenarioVerdict, "result" | "misstep" | "run">> {
  signal.throwIfAborted();
  const directory = await mkdtemp(join(tmpdir(), "async-music-certify-"));
  const limit = new AbortController();
  const stop = () => limit.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const { service, ended } = await client(
      // Each has its own songs: a file of another run is noticed.
      (url) => createService(arrange, { clock, seed: index + 1, url }),
      directory,
      limit.signal,
    );
    signal.throwIfAborted();
    await using _ = service.emulator;
    const run = await inspect(service, ended, directory);
    const misstep = ended.isStopped
      ? { happened: `It had not ended after ${timeoutMs / 1000} s, and was stopped.` }
      : judge(run);
    return { result: misstep === null ? "passed" : "failed", misstep, run };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await rm(directory, { recursive: true, force: true });
  }
}

import { constants } from "node:fs";
import { access, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator, type Policy } from "../../../emulator/index.js";
import { createRedactor } from "../../errors/redactor.js";
import { AsyncMusic, type Clock } from "../../index.js";
import { connect } from "../account.js";
import type { ConnectionFlags } from "../flags.js";
import { Interrupted, report } from "../report.js";
import { reasonOf, type Terminal, UsageError, writeResult } from "../terminal.js";
import { compare } from "./compare.js";
import { policyOf, policyShown } from "./policy.js";
import { type Probe, probesFor } from "./probes.js";
import { createReport, reportMarkdown, reportText } from "./report.js";
import { LIMITED, type Survey, survey } from "./survey.js";
import { createWire } from "./wire.js";

export interface DriftFlags extends ConnectionFlags {
  maxCredits: number;
  report?: string;
  uploadUrl: string;
}

const DRIFT = 1;
const NOT_RUN = 2;

const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/**
 * Compares the service with an emulator of the same policy. Returns the exit status: 0 without drift, 1 with drift, 2 if
 * the check could not be run.
 */
export async function checkDrift(flags: DriftFlags, version: string, terminal: Terminal): Promise<number> {
  const interruption = new AbortController();
  // A second signal ends the process.
  const stopListening = terminal.onSignal((signal) => {
    stopListening();
    interruption.abort(new Interrupted(signal));
  });
  try {
    return await runDrift(flags, version, terminal, interruption.signal);
  } catch (error) {
    const status = report(error, flags.json ?? false, terminal);
    if (!(error instanceof Interrupted)) return NOT_RUN;
    terminal.stderr.write("A task that was created continues, and its credits may be charged.\n");
    return status;
  } finally {
    stopListening();
  }
}

async function runDrift(flags: DriftFlags, version: string, terminal: Terminal, signal: AbortSignal) {
  const { maxCredits, report: path, uploadUrl, json } = flags;
  if (!/^https?:/i.test(uploadUrl) || !URL.canParse(uploadUrl))
    throw new UsageError("--upload-url must be an http or https address.");
  // Before anything is charged.
  if (path !== undefined)
    await access(dirname(path), constants.W_OK).catch((error: unknown) => {
      throw cannotWrite(path, error);
    });
  const clock = terminal.client?.clock ?? SYSTEM_CLOCK;
  const { baseUrl } = connect(flags, terminal);
  const wire = createWire(terminal.client?.fetch ?? globalThis.fetch, baseUrl);
  const client = connect(flags, terminal, { fetch: wire.fetch, validateRequests: false });
  const date = new Date(clock.now()).toISOString();
  const probes = probesFor(uploadUrl);
  const onProbe = (name: string) => {
    const position = probes.findIndex((probe) => probe.name === name) + 1;
    terminal.stderr.write(`${position}/${probes.length} ${name}\n`);
  };
  const found = await survey({ client, wire, clock, maxCredits, signal, onProbe }, probes);
  const shown = policyShown(found);
  const twin = await surveyEmulator(found, policyOf(shown), probes);
  const about = { date, service: baseUrl, emulator: version, requests: wire.requests, maxCredits };
  const result = createReport(found, compare(found, twin), shown, about);
  writeResult(terminal, json, result, reportText(result));
  if (path !== undefined) {
    const redactor = createRedactor(terminal.env["ASYNC_MUSIC_API_KEY"] ?? "");
    try {
      await writeFile(path, redactor.safeText(reportMarkdown(result)));
    } catch (error) {
      // The document of --json was written.
      report(cannotWrite(path, error), false, terminal);
      return NOT_RUN;
    }
  }
  if (result.drift.length > 0) return DRIFT;
  return result.incomplete.length > 0 ? NOT_RUN : 0;
}

/** Carries out the same probes against a new emulator. Its tasks are read in every state. */
async function surveyEmulator(
  found: Survey,
  policy: Partial<Policy>,
  probes: readonly Probe[],
): Promise<Survey> {
  await using emulator = createEmulator({ policy, credits: creditsOf(found) });
  for (const provider of Object.values(emulator.providers))
    provider.always({ queue_seconds: 7, process_seconds: 12 });
  if (found.observations.has(LIMITED))
    emulator.faults.add({ fault: { kind: "status", status: 429, when: "before" } });
  const { clock, fetch, ...connection } = emulator.connection();
  const wire = createWire(fetch, connection.baseUrl);
  const client = new AsyncMusic({ ...connection, clock, fetch: wire.fetch, validateRequests: false });
  const repeated = probes.filter(({ name }) => found.observations.has(name));
  const signal = new AbortController().signal;
  return await survey(
    { client, wire, clock, maxCredits: Number.POSITIVE_INFINITY, signal, onProbe() {} },
    repeated,
  );
}

/** The credits of the service's account, if the emulator accepts them. */
function creditsOf({ available }: Survey): number | undefined {
  const isUsable = Number.isSafeInteger(available) && Number(available) >= 0 && Number(available) <= 1e12;
  return isUsable ? Number(available) : undefined;
}

function cannotWrite(path: string, cause: unknown): UsageError {
  return new UsageError(`Failed to write the report to ${path}: ${reasonOf(cause)}`, { cause });
}

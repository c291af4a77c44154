import { createEmulator, type Outcome, type Policy } from "../../emulator/index.js";
import { TASK_ERROR_CODES } from "../../src/contract/service.js";
import { createRedactor } from "../../src/errors/redactor.js";
import { AsyncMusic } from "../../src/index.js";
import { createSystemClock } from "../../src/time/clock.js";
import { connect } from "../account.js";
import type { ConnectionFlags } from "../flags.js";
import { ProgressLine } from "../progress.js";
import { report } from "../report.js";
import { checkReportPath, writeReport } from "../report-file.js";
import { Interrupted, type Terminal, UsageError, untilSignal, writeResult } from "../terminal.js";
import { compareSurveys } from "./compare.js";
import { durationText } from "./duration.js";
import { notKnown } from "./not-known.js";
import type { Observation } from "./observation.js";
import { knownPolicy, policyShown } from "./policy.js";
import { createDriftReport, driftMarkdown, driftText } from "./report.js";
import { LIMITED, type Survey, survey } from "./survey.js";
import { type DriftTest, lastStatusOf, testsFor } from "./tests.js";
import { Wire } from "./wire.js";

export interface DriftFlags extends ConnectionFlags {
  maxCredits: number;
  report?: string;
  uploadUrl: string;
}

const DRIFT = 1;
const NOT_RUN = 2;

/**
 * Compares the service with an emulator of the same policy. Returns the exit status: 0 without drift, 1 with drift, 2 if
 * the check could not be run or a part of it has no result. After a signal, it is that of the signal.
 */
export async function checkDrift(flags: DriftFlags, version: string, terminal: Terminal): Promise<number> {
  const { signal, stop } = untilSignal(terminal);
  try {
    return await runDrift(flags, version, terminal, signal);
  } catch (error) {
    return reportFailure(error, flags.json ?? false, terminal);
  } finally {
    stop();
  }
}

function reportFailure(error: unknown, asJson: boolean, terminal: Terminal): number {
  const status = report(error, asJson, terminal);
  if (!(error instanceof Interrupted)) return NOT_RUN;
  terminal.stderr.write("A task that was created continues, and its credits may be charged.\n");
  return status;
}

async function runDrift(flags: DriftFlags, version: string, terminal: Terminal, signal: AbortSignal) {
  const { maxCredits, report: path, uploadUrl, json } = flags;
  if (!/^https?:/i.test(uploadUrl) || !URL.canParse(uploadUrl))
    throw new UsageError("--upload-url must be an http or https address.");
  // Before anything is charged.
  if (path !== undefined) await checkReportPath(path);
  const clock = terminal.client?.clock ?? createSystemClock();
  const { baseUrl } = connect(flags, terminal);
  const wire = new Wire(terminal.client?.fetch ?? globalThis.fetch, baseUrl, () => clock.now());
  const client = connect(flags, terminal, { fetch: wire.fetch, validateRequests: false });
  const date = new Date(clock.now()).toISOString();
  const tests = testsFor(uploadUrl);
  const progress = new ProgressLine(terminal, () => clock.now());
  const onTest = (name: string) => {
    const position = tests.findIndex((test) => test.name === name) + 1;
    progress.show({ status: `${position}/${tests.length} ${name}`, output: null });
  };
  terminal.stderr.write(`${durationText(tests, maxCredits)}\n`);
  progress.line.start();
  const found = await survey({ client, wire, clock, maxCredits, signal, onTest }, tests).finally(() =>
    progress.line.end(),
  );
  const shown = policyShown(found);
  const twin = await surveyEmulator(found, knownPolicy(shown), tests);
  const about = { date, service: baseUrl, emulator: version, requests: wire.requests, maxCredits };
  const unknown = notKnown(found, tests);
  const result = createDriftReport(found, compareSurveys(found, twin, tests), shown, {
    ...about,
    not_known: unknown,
  });
  writeResult(terminal, json, result, driftText(result));
  if (path !== undefined) {
    const redactor = createRedactor(terminal.env["ASYNC_MUSIC_API_KEY"] ?? "");
    try {
      // Markdown escapes characters that the key may have.
      await writeReport(path, redactor.safeText(driftMarkdown(redactor.data(result))));
    } catch (error) {
      // The document of --json was written.
      const status = reportFailure(error, false, terminal);
      if (!signal.aborted) return status;
    }
  }
  if (signal.aborted) return reportFailure(signal.reason, false, terminal);
  if (result.drift.length > 0) return DRIFT;
  return result.incomplete.length + result.account_changes.length > 0 ? NOT_RUN : 0;
}

/**
 * Carries out the same tests against a new emulator. Its tasks are read in every state, and end as those of the service,
 * so that both are compared at the same end. What the end should be is compared by itself.
 */
async function surveyEmulator(
  found: Survey,
  policy: Partial<Policy>,
  tests: readonly DriftTest[],
): Promise<Survey> {
  await using emulator = createEmulator({ policy, credits: creditsOf(found) });
  if (found.observations.has(LIMITED))
    emulator.faults.add({ fault: { kind: "status", status: 429, when: "before" } });
  const { clock, fetch, ...connection } = emulator.connection();
  const wire = new Wire(fetch, connection.baseUrl, () => clock.now());
  const client = new AsyncMusic({
    ...connection,
    clock,
    fetch: wire.fetch,
    validateRequests: false,
    logLevel: "off",
  });
  const onTest = (name: string) => {
    const outcome = outcomeLike(found.observations.get(name) ?? {});
    for (const provider of Object.values(emulator.providers))
      provider.always({ queue_seconds: 7, process_seconds: 12, ...outcome });
  };
  const signal = new AbortController().signal;
  const repeated = tests
    .filter(({ name }) => found.observations.has(name))
    .map((test) => ({ ...test, unlessAccepted: undefined }));
  const twin = await survey(
    { client, wire, clock, maxCredits: Number.POSITIVE_INFINITY, signal, onTest },
    repeated,
  );
  for (const test of tests) {
    const task = twin.observations.get(test.name)?.["task"];
    if (task !== undefined) task["last status"] = lastStatusOf(test);
  }
  return twin;
}

/** How a provider ends a task as the service did. */
function outcomeLike(observation: Observation): Outcome {
  if ("read while timeout" in observation) return { outcome: "hang" };
  const failure = observation["read while failure"];
  if (failure === undefined) return {};
  const code = TASK_ERROR_CODES.find((each) => each === failure["data.error_code"]);
  const retryable = failure["data.retryable"];
  return {
    outcome: "failure",
    ...(code !== undefined && { error_code: code }),
    ...(typeof retryable === "boolean" && { retryable }),
  };
}

/** The credits of the service's account, if the emulator accepts them. */
function creditsOf({ available }: Survey): number | undefined {
  const isUsable = Number.isSafeInteger(available) && Number(available) >= 0 && Number(available) <= 1e12;
  return isUsable ? Number(available) : undefined;
}

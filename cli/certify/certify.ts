import { basename } from "node:path";
import { LiveLine } from "../live-line.js";
import { checkReportPath, writeReport } from "../report-file.js";
import { alignedTable, stylesFor, type Terminal, UsageError, untilSignal, writeResult } from "../terminal.js";
import { certifyClient, type ScenarioVerdict } from "./certification.js";
import { commandClient } from "./client.js";
import { badgeSvg, certifyMarkdown, certifyText, createCertifyReport } from "./report.js";
import type { Topic } from "./scenario.js";
import { TOPICS } from "./topics.js";

/** Flags of `certify`. Times are in milliseconds. */
export interface CertifyFlags {
  report?: string;
  only?: string[];
  list?: boolean;
  concurrency: number;
  timeout: number;
  json?: boolean;
}

const NOT_CERTIFIED = 1;

/** Judges a client that is a command. Returns the exit status: 0 if it passed all required scenarios that were chosen. */
export async function certify(
  command: readonly string[],
  { report: path, only, concurrency, timeout, json }: CertifyFlags,
  version: string,
  terminal: Terminal,
): Promise<number> {
  const topics = chosenTopics(only);
  if (path !== undefined && /\.svg$/i.test(path))
    throw new UsageError(
      `The badge would overwrite the report ${path}. Name the report with another extension, such as .md.`,
    );
  const badgePath = path?.replace(/(\.\w+)?$/, ".svg");
  for (const each of [path, badgePath]) if (each !== undefined) await checkReportPath(each);
  const date = new Date().toISOString();
  const verdicts = await judgeAll(command, topics, { concurrency, timeoutMs: timeout }, terminal);
  const report = createCertifyReport(verdicts, only === undefined, { date, version, command });
  writeResult(terminal, json, report, certifyText(report, stylesFor(terminal.stdout, terminal.env)));
  if (path !== undefined && badgePath !== undefined) {
    await writeReport(path, certifyMarkdown(report, basename(badgePath)));
    await writeReport(badgePath, badgeSvg(report));
  }
  return report.accepted ? 0 : NOT_CERTIFIED;
}

/** Writes the names and the rules of all scenarios. */
export function listScenarios(terminal: Terminal, json?: boolean): void {
  const scenarios = TOPICS.flatMap(({ title: topic, scenarios }) =>
    scenarios.map(({ name, isRequired: required = true, rule, sentence }) => {
      return { topic, name, required, rule, sentence };
    }),
  );
  const rows = scenarios.map(({ name, required, rule }) => [
    name,
    required ? "required" : "recommended",
    rule,
  ]);
  writeResult(terminal, json, { scenarios }, alignedTable(rows));
}

function chosenTopics(names: readonly string[] | undefined): readonly Topic[] {
  if (names === undefined) return TOPICS;
  const known = TOPICS.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no scenario ${unknown}. List all with --list.`);
  return TOPICS.map(({ title, scenarios }) => ({
    title,
    scenarios: scenarios.filter(({ name }) => names.includes(name)),
  }));
}

async function judgeAll(
  command: readonly string[],
  topics: readonly Topic[],
  limits: { concurrency: number; timeoutMs: number },
  terminal: Terminal,
): Promise<ScenarioVerdict[]> {
  const total = topics.reduce((sum, { scenarios }) => sum + scenarios.length, 0);
  const { signal, stop } = untilSignal(terminal);
  let ended = 0;
  const progress = new LiveLine(
    terminal,
    () => Date.now(),
    () => ({
      status: `${ended} of ${total}`,
      percent: Math.floor((100 * ended) / total),
    }),
  );
  const onVerdict = ({ scenario: { name }, result }: ScenarioVerdict) => {
    ended++;
    if (!progress.isLive) progress.log(`${ended} of ${total}: ${name} ${result}`);
    else if (result === "failed") progress.say(`${name} failed`);
    progress.draw();
  };
  progress.start();
  try {
    const options = { ...limits, signal, onVerdict };
    return await certifyClient(commandClient(command, terminal.env), topics, options);
  } finally {
    progress.end();
    stop();
  }
}

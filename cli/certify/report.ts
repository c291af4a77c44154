import { printableLine } from "../../src/contract/text.js";
import { markdownText } from "../report-file.js";
import { type Styler, shellWord } from "../terminal.js";
import type { ScenarioVerdict } from "./certification.js";
import { endOf } from "./judges.js";
import type { ClientRequest } from "./service.js";

/** What is known about a client. `--json` writes it as it is. */
export interface CertifyReport {
  /** ISO 8601. */
  date: string;
  version: string;
  command: readonly string[];
  /** Whether every scenario was chosen, and all required ones passed. */
  certified: boolean;
  /** Whether no required scenario that was chosen failed. */
  accepted: boolean;
  passed: { required: number; recommended: number };
  scenarios: ReportedScenario[];
}

interface ReportedScenario {
  topic: string;
  name: string;
  required: boolean;
  result: ScenarioVerdict["result"];
  rule: string;
  sentence: string;
  /** The rest is only in scenarios that failed. */
  happened?: string;
  change?: string;
  requests?: string;
  end?: string;
}

export function createCertifyReport(
  verdicts: readonly ScenarioVerdict[],
  isWhole: boolean,
  about: Pick<CertifyReport, "date" | "version" | "command">,
): CertifyReport {
  const scenarios = verdicts.map(reported);
  const count = (isRequired: boolean) =>
    scenarios.filter(({ required, result }) => required === isRequired && result === "passed").length;
  const accepted = scenarios.every(({ required, result }) => result === "passed" || !required);
  return {
    ...about,
    certified: isWhole && accepted,
    accepted,
    passed: { required: count(true), recommended: count(false) },
    scenarios,
  };
}

function reported({ topic, scenario, result, misstep, run }: ScenarioVerdict): ReportedScenario {
  const { name, isRequired: required = true, rule, sentence, change } = scenario;
  const facts = { topic, name, required, result, rule, sentence };
  if (misstep === null || run === null) return facts;
  return { ...facts, change, ...misstep, requests: requestsText(run.requests), end: endOf(run) };
}

const MOST_REQUESTS = 8;

/** The requests in their order. Equal ones that follow each other are one. */
function requestsText(requests: readonly ClientRequest[]): string {
  const names = requests.map(
    ({ method, url, status }) =>
      `${method} ${url.pathname.replace(/[\da-f-]{36}/i, "*")} ${status ?? "no response"}`,
  );
  const groups: { name: string; count: number }[] = [];
  for (const name of names) {
    const last = groups.at(-1);
    if (last?.name === name) last.count++;
    else groups.push({ name, count: 1 });
  }
  const shown = groups
    .slice(0, MOST_REQUESTS)
    .map(({ name, count }) => (count > 1 ? `${name} (${count} times)` : name));
  return (
    printableLine([...shown, ...(groups.length > MOST_REQUESTS ? ["and more"] : [])].join(", ")) || "none"
  );
}

/** Such as `30 of 31 required scenarios and 38 of 40 in all passed`. */
function scoreOf({ passed, scenarios }: CertifyReport): string {
  const required = scenarios.filter((each) => each.required).length;
  const all = passed.required + passed.recommended;
  return `${passed.required} of ${required} required scenarios and ${all} of ${scenarios.length} in all passed`;
}

function summaryOf(report: CertifyReport): string {
  const { certified, accepted } = report;
  const advice = accepted && !certified ? " Only a run without --only certifies a client." : "";
  return `${certified ? "Certified" : "Not certified"}: ${scoreOf(report)}.${advice}`;
}

function byTopic(scenarios: readonly ReportedScenario[]) {
  const topics = [...new Set(scenarios.map(({ topic }) => topic))];
  return topics.map((topic) => ({ topic, all: scenarios.filter((each) => each.topic === topic) }));
}

/** Scenarios that failed, with those together that need the same change. */
function byChange(failed: readonly ReportedScenario[]) {
  const changes = [...new Set(failed.map(({ change = "" }) => change))];
  return changes.map((change) => {
    const all = failed.filter((each) => each.change === change);
    return { change, sentences: [...new Set(all.map(({ sentence }) => sentence))], all };
  });
}

const NOT_RUN = "The client made no song without a fault, so the other scenarios were not run.";

/** The report for a terminal. */
export function certifyText(report: CertifyReport, style: Styler): string {
  const { scenarios, accepted } = report;
  const failed = scenarios.filter(({ result }) => result === "failed");
  const details = byChange(failed).flatMap(({ change, sentences, all }) => [
    ...all.flatMap(({ name, required, happened = "", requests = "", end = "" }) => [
      `${style(required ? "red" : "yellow", required ? "FAILED" : "failed")} ${style("bold", name)}: ${happened}`,
      `       ${requests}; ${end}`,
    ]),
    `  What to change: ${change}`,
    ...sentences.map((sentence) => `  The interface: ${sentence}`),
    "",
  ]);
  const passed = byTopic(scenarios).flatMap(({ topic, all }) => {
    const names = all.filter(({ result }) => result === "passed").map(({ name }) => name);
    return names.length === 0 ? [] : [`Passed, ${topic.toLowerCase()}: ${names.join(", ")}`];
  });
  return lines(
    ...details,
    ...passed,
    ...(passed.length > 0 ? [""] : []),
    ...(scenarios.some(({ result }) => result === "not run") ? [NOT_RUN] : []),
    style(accepted ? "green" : "red", summaryOf(report)),
  );
}

/** The report as Markdown, to be committed with its badge. @param badge - the file of the badge, beside it */
export function certifyMarkdown(report: CertifyReport, badge: string): string {
  const { scenarios, command, version, date } = report;
  const topics = byTopic(scenarios).flatMap(({ topic, all }) => [
    `## ${topic}`,
    "",
    "| Scenario | Level | Result | Rule |",
    "|---|---|---|---|",
    ...all.map(
      ({ name, required, result, rule }) =>
        `| ${name} | ${required ? "required" : "recommended"} | ${result} | ${rule} |`,
    ),
    "",
  ]);
  const failed = scenarios
    .filter(({ result }) => result === "failed")
    .flatMap(({ name, happened = "", change = "", sentence, requests = "", end = "" }) => [
      `### ${name}`,
      "",
      `- What happened: ${markdownText(happened)}`,
      `- What to change: ${markdownText(change)}`,
      `- The interface: ${markdownText(sentence)}`,
      `- Requests: ${markdownText(requests)}`,
      `- End: ${markdownText(end)}`,
      "",
    ]);
  return lines(
    "# Certification report",
    "",
    `![${badgeText(report).join(": ")}](${badge})`,
    "",
    summaryOf(report),
    "",
    `- Client: \`${printableLine(command.map(shellWord).join(" ")).replaceAll("`", "'")}\``,
    `- Date: ${date}`,
    `- Scenarios: async-music ${version}`,
    "",
    ...(failed.length > 0 ? ["## Failed", "", ...failed] : []),
    ...topics.slice(0, -1),
  );
}

const LABEL = "async-music";
const CHARACTER_WIDTH = 6.5;
const PADDING = 6;

function badgeText(report: CertifyReport): [label: string, value: string] {
  const { certified, accepted, passed, scenarios } = report;
  const required = scenarios.filter((each) => each.required).length;
  if (!accepted) return [LABEL, `failed ${required - passed.required}/${required}`];
  return [LABEL, `${certified ? "certified" : "in part"} ${passed.required}/${required}`];
}

/** The badge, as an image. */
export function badgeSvg(report: CertifyReport): string {
  const [label, value] = badgeText(report);
  const [labelWidth, valueWidth] = [label, value].map((text) =>
    Math.round(text.length * CHARACTER_WIDTH + 2 * PADDING),
  ) as [number, number];
  const width = labelWidth + valueWidth;
  const text = (x: number, content: string) => `<text x="${x}" y="14" text-anchor="middle">${content}</text>`;
  return lines(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${value}">`,
    `<title>${label}: ${value}</title>`,
    `<clipPath id="corners"><rect width="${width}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#corners)"><rect width="${labelWidth}" height="20" fill="#444"/><rect x="${labelWidth}" width="${valueWidth}" height="20" fill="${report.certified ? "#2a7d2e" : "#b3261e"}"/></g>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(labelWidth / 2, label)}${text(labelWidth + valueWidth / 2, value)}</g>`,
    "</svg>",
  );
}

function lines(...all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}

import { printableLine } from "../../src/contract/text.js";
import { markdownText } from "../report-file.js";
import type { Comparison, Difference } from "./compare.js";
import type { Value } from "./fields.js";
import { knownPolicy, type ShownPolicy } from "./policy.js";
import { LIMITED, SERVER_ERRORS, type Survey } from "./survey.js";
import { CREDITS_FOR_ALL } from "./tests.js";

/** Everything that a drift check found. `--json` writes it as it is. */
export interface DriftReport {
  /** ISO 8601. */
  date: string;
  service: string;
  emulator: string;
  /** Differences with the same values are one. */
  drift: readonly Difference[];
  policy: ReturnType<typeof knownPolicy>;
  policy_not_shown: Record<string, string>;
  tests: { name: string; fields: number; differences: number }[];
  skipped: Survey["skipped"];
  incomplete: Survey["incomplete"];
  account_changes: Survey["accountChanges"];
  /** What the check cannot find out. */
  not_known: readonly string[];
  requests: number;
  credits: { spent: number; allowed: number };
}

export function createDriftReport(
  survey: Survey,
  { differences, fields }: Comparison,
  policy: readonly ShownPolicy[],
  about: Pick<DriftReport, "date" | "service" | "emulator" | "requests" | "not_known"> & {
    maxCredits: number;
  },
): DriftReport {
  const { maxCredits, ...rest } = about;
  return {
    ...rest,
    drift: differences,
    policy: knownPolicy(policy),
    policy_not_shown: Object.fromEntries(
      policy.flatMap(({ field, value, by }) => (value === null ? [[field, by]] : [])),
    ),
    tests: [...fields].map(([name, count]) => ({
      name,
      fields: count.compared,
      differences: count.differences,
    })),
    skipped: survey.skipped,
    incomplete: survey.incomplete,
    account_changes: survey.accountChanges,
    credits: { spent: survey.spent, allowed: maxCredits },
  };
}

/** One sentence about the result, and one about the account if another program used it. */
function summaryOf(report: DriftReport): string[] {
  const { drift, tests, skipped, incomplete, account_changes: changes, credits } = report;
  const fields = tests.reduce((sum, each) => sum + each.fields, 0);
  const compared = tests.filter(({ name }) => name !== LIMITED && name !== SERVER_ERRORS).length;
  const differing = drift.reduce((sum, each) => sum + each.count, 0);
  const left = skipped.length + incomplete.length;
  const extent = `${left === 0 ? "" : `${compared} of `}${compared + left} tests`;
  const found =
    drift.length > 0
      ? `Drift in ${differing} of ${fields} fields: ${extent} compared`
      : left > 0
        ? `No drift in ${extent} (${fields} fields)`
        : `No drift: ${extent} and ${fields} fields compared`;
  const sum = skipped.reduce((total, each) => total + each.credits, credits.allowed);
  const needed = credits.allowed < CREDITS_FOR_ALL ? CREDITS_FOR_ALL : sum;
  const rest = [
    ...(skipped.length > 0 ? [`; ${skipped.length} skipped: --max-credits ${needed} runs all`] : []),
    ...(incomplete.length > 0 ? [`; ${incomplete.length} without a result`] : []),
  ];
  const noticed = changes.map(({ test, changes: all }) => {
    const each = Object.entries(all).map(([name, change]) => `${name} by ${change}`);
    return `${each.join(", ")} (${test})`;
  });
  const summary = `${found}${rest.join("")}.`;
  if (changes.length === 0) return [summary];
  return [
    summary,
    `The account changed meanwhile: ${noticed.join("; ")}. Another program used it, or it was topped up. Changes of the credits and the rate limit window were not compared. Run the check again while nothing else uses the account.`,
  ];
}

/** Tests that were left out for the same reason share a line. */
function leftOut({ skipped, incomplete }: DriftReport): string[] {
  const reasons = new Map<string, string[]>();
  const add = (test: string, reason: string) => reasons.set(reason, [...(reasons.get(reason) ?? []), test]);
  for (const { test, reason } of incomplete) add(test, `No result: ${reason}`);
  for (const { test, credits } of skipped) add(test, `Skipped for lack of credits (${credits} each):`);
  return [...reasons].flatMap(([reason, names]) => [reason, ...names.map((name) => `  ${name}`)]);
}

/** The report for a terminal. */
export function driftText(report: DriftReport): string {
  const { drift, credits, policy } = report;
  const left = leftOut(report);
  return lines(
    ...summaryOf(report),
    `${credits.spent} of at most ${credits.allowed} credits spent, ${report.requests} requests sent.`,
    "",
    ...drift.map(
      ({ test, part, field, service, emulator, count }) =>
        `${test}, ${part}: ${field} is ${valueText(service, emulator)}, in the emulator ${valueText(emulator, service)}${count > 1 ? ` (${count} times)` : ""}`,
    ),
    ...(drift.length > 0 ? [""] : []),
    ...left,
    ...(left.length > 0 ? [""] : []),
    POLICY_TITLE,
    "",
    `  ${policyCode(policy)}`,
    "",
    ...policyFlags(policy, "  "),
    ...Object.entries(report.policy_not_shown).map(([field, why]) => `${field} is not shown: ${why}`),
    "",
    NOT_KNOWN_TITLE,
    ...report.not_known.map((each) => `  ${each}`),
  );
}

/** The report as Markdown, to be committed. */
export function driftMarkdown(report: DriftReport): string {
  const { drift, tests, skipped, incomplete, credits, policy } = report;
  return lines(
    "# Drift report",
    "",
    ...summaryOf(report).flatMap((sentence) => [sentence, ""]),
    `- Date: ${report.date}`,
    `- Service: ${report.service}`,
    `- Emulator: async-music ${report.emulator}`,
    `- Credits: ${credits.spent} of at most ${credits.allowed}`,
    `- Requests: ${report.requests}`,
    "",
    "## Differences",
    "",
    ...(drift.length === 0
      ? ["None."]
      : table(
          ["Test", "Part", "Field", "Service", "Emulator", "Times"],
          drift.map(({ tests: all, part, field, service, emulator, count }) => [
            all.join(", "),
            part,
            markdownText(field),
            markdownText(valueText(service, emulator)),
            markdownText(valueText(emulator, service)),
            String(count),
          ]),
        )),
    "",
    "## Policy",
    "",
    POLICY_TITLE,
    "",
    "```ts",
    policyCode(policy),
    "```",
    "",
    ...policyFlags(policy, "    "),
    ...table(["Not shown", "Reason"], Object.entries(report.policy_not_shown)),
    "",
    "## Not known",
    "",
    ...report.not_known.map((each) => `- ${each}`),
    "",
    "## Tests",
    "",
    ...table(
      ["Test", "Fields compared", "Differences"],
      [
        ...tests.map(({ name, fields, differences }) => [name, String(fields), String(differences)]),
        ...skipped.map(({ test, credits: most }) => [test, "", `skipped: it may cost ${most} credits`]),
        ...incomplete.map(({ test, reason }) => [test, "", `no result: ${markdownText(reason)}`]),
      ],
    ),
  );
}

const NOT_KNOWN_TITLE = "The check cannot know:";
const POLICY_TITLE =
  "The options of an emulator that does the same. In a TypeScript variable, put `as const` behind the `}`:";

/** The same for the command line. */
function policyFlags(policy: object, indent: string): string[] {
  const flags = Object.entries(policy).map(([name, value]) => ` --policy ${name}=${value}`);
  return flags.length === 0 ? [] : ["In a shell:", "", `${indent}async-music emulator${flags.join("")}`, ""];
}

/** `policy: { … }`, to paste into `createEmulator`. */
function policyCode(policy: object): string {
  const fields = Object.entries(policy).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return fields.length === 0 ? "policy: {}" : `policy: { ${fields.join(", ")} }`;
}

/** A value; as JSON if it reads like the other one, such as the string "5" beside 5. */
function valueText(value: Value | undefined, other: Value | undefined): string {
  if (value === undefined) return "missing";
  return String(value) === String(other) ? JSON.stringify(value) : String(value);
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)];
}

/** What the service sent may be in any line. */
function lines(...all: readonly string[]): string {
  return `${all.map(printableLine).join("\n").trimEnd()}\n`;
}

import { printableLine } from "../../contract/text.js";
import type { Comparison, Difference } from "./compare.js";
import type { Value } from "./fields.js";
import { policyOf, type Shown } from "./policy.js";
import type { Survey } from "./survey.js";

/** Everything that a drift check found. `--json` writes it as it is. */
export interface DriftReport {
  /** ISO 8601. */
  date: string;
  service: string;
  emulator: string;
  drift: readonly Difference[];
  policy: ReturnType<typeof policyOf>;
  policy_not_shown: Record<string, string>;
  probes: { name: string; fields: number; differences: number }[];
  skipped: Survey["skipped"];
  incomplete: Survey["incomplete"];
  requests: number;
  credits: { spent: number; allowed: number };
}

export function createReport(
  survey: Survey,
  { differences, fields }: Comparison,
  policy: readonly Shown[],
  about: Pick<DriftReport, "date" | "service" | "emulator" | "requests"> & { maxCredits: number },
): DriftReport {
  const { maxCredits, ...rest } = about;
  return {
    ...rest,
    drift: differences,
    policy: policyOf(policy),
    policy_not_shown: Object.fromEntries(
      policy.flatMap(({ field, value, by }) => (value === null ? [[field, by]] : [])),
    ),
    probes: [...fields].map(([name, count]) => ({
      name,
      fields: count,
      differences: differences.filter(({ probe }) => probe === name).length,
    })),
    skipped: survey.skipped,
    incomplete: survey.incomplete,
    credits: { spent: survey.spent, allowed: maxCredits },
  };
}

/** One sentence about the result. */
export function summaryOf({ drift, probes, skipped, incomplete }: DriftReport): string {
  const fields = probes.reduce((sum, each) => sum + each.fields, 0);
  const found = drift.length === 0 ? "No drift" : `Drift in ${drift.length} of the fields`;
  const left = [
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ...(incomplete.length > 0 ? [`${incomplete.length} without a result`] : []),
  ];
  return `${found}: ${probes.length} probes and ${fields} fields compared${left.map((each) => `, ${each}`).join("")}.`;
}

/** The report for a terminal. */
export function reportText(report: DriftReport): string {
  const { drift, skipped, incomplete, credits, policy } = report;
  return lines(
    summaryOf(report),
    `${credits.spent} of at most ${credits.allowed} credits spent, ${report.requests} requests sent.`,
    "",
    ...drift.map(
      ({ probe, part, field, service, emulator }) =>
        `${probe}, ${part}: ${field} is ${shown(service, emulator)}, in the emulator ${shown(emulator, service)}`,
    ),
    ...(drift.length > 0 ? [""] : []),
    ...incomplete.map(({ probe, reason }) => `${probe} has no result: ${reason}`),
    ...skipped.map(({ probe, credits: most }) => `${probe} was skipped: it may cost ${most} credits.`),
    ...(incomplete.length + skipped.length > 0 ? [""] : []),
    "The options of an emulator that does the same:",
    "",
    `  ${policyCode(policy)}`,
    "",
    ...Object.entries(report.policy_not_shown).map(([field, why]) => `${field} is not shown: ${why}`),
  );
}

/** The report as Markdown, to be committed. */
export function reportMarkdown(report: DriftReport): string {
  const { drift, probes, skipped, incomplete, credits, policy } = report;
  return lines(
    "# Drift report",
    "",
    summaryOf(report),
    "",
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
          ["Probe", "Part", "Field", "Service", "Emulator"],
          drift.map(({ probe, part, field, service, emulator }) => [
            probe,
            part,
            field,
            shown(service, emulator),
            shown(emulator, service),
          ]),
        )),
    "",
    "## Policy",
    "",
    "The options of an emulator that does the same:",
    "",
    "```js",
    policyCode(policy),
    "```",
    "",
    ...table(["Not shown", "Reason"], Object.entries(report.policy_not_shown)),
    "",
    "## Probes",
    "",
    ...table(
      ["Probe", "Fields compared", "Differences"],
      [
        ...probes.map(({ name, fields, differences }) => [name, String(fields), String(differences)]),
        ...skipped.map(({ probe, credits: most }) => [probe, "", `skipped: it may cost ${most} credits`]),
        ...incomplete.map(({ probe, reason }) => [probe, "", `no result: ${reason}`]),
      ],
    ),
  );
}

/** `policy: { … }`, to paste into `createEmulator`. */
export function policyCode(policy: object): string {
  const fields = Object.entries(policy).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return fields.length === 0 ? "policy: {}" : `policy: { ${fields.join(", ")} }`;
}

/** A value; as JSON if it reads like the other one, such as the string "5" beside 5. */
function shown(value: Value | undefined, other: Value | undefined): string {
  if (value === undefined) return "missing";
  return String(value) === String(other) ? JSON.stringify(value) : String(value);
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)];
}

/** What the service sent may be in any line. */
function lines(...all: readonly string[]): string {
  return `${all.map(printableLine).join("\n").trimEnd()}\n`;
}

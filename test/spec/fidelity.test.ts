import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { POLICY_FIELDS } from "../../emulator/core/policy-fields.js";
import { titlesIn } from "./titles.js";

const PAGE = "../../docs/fidelity.md";
/** Written by `async-music drift`. */
const DRIFT_REPORT = "../../docs/reports/drift.md";
const OPEN = "Policy options";
const FIXED = "Details without an option";
const OF_GUIDES = "Charges and repetition in the guides";

/** One row of the page: the position of its sentence, its subject, and its tests. */
interface Row {
  section: string;
  at: string;
  about: string;
  shownBy: string[];
}

const page = readFileSync(new URL(PAGE, import.meta.url), "utf8");
const rows = rowsOf(page);
const sentences = rows.filter(({ section }) => section !== FIXED && section !== OF_GUIDES);

describe("every sentence of the interface", () => {
  it("is listed: each section is numbered from 1 without gaps and duplicates", () => {
    for (const section of new Set(sentences.map((row) => row.section))) {
      const places = sentences.filter((row) => row.section === section).map(({ at }) => at);
      expect([section, new Set(places).size]).toEqual([section, places.length]);
      const numbers = places.filter((at) => /^\d+$/.test(at)).map(Number);
      expect([section, numbers]).toEqual([section, numbers.map((_, index) => index + 1)]);
    }
    expect(sentences.length).toBeGreaterThanOrEqual(246);
  });

  it("has a test besides its policy option", () => {
    expect(sentences.filter(({ shownBy }) => shownBy.every((by) => by.startsWith("policy ")))).toEqual([]);
  });

  it("has a test, except for the five about the document itself", () => {
    expect(sentences.filter(({ shownBy }) => shownBy.includes("about the document itself"))).toHaveLength(5);
  });
});

it("every sentence and every fixed detail names an existing test", () => {
  const missing = rows.flatMap(({ section, at, shownBy }) =>
    shownBy.filter((by) => currentTitle(by) === undefined).map((by) => `${section}, ${at}: ${by}`),
  );
  expect(missing).toEqual([]);
});

/** What the guides say about charges and repetition, apart from what they say about the service and about payments. */
const ABOUT_CHARGES =
  /charged (?:once|twice|again)|sends nothing|nothing (?:is|was) (?:sent|charged)|at most once|(?:is|are|was|were) refunded|created twice|sends no POST|never repeats/i;
const GUIDES = globSync(["README.md", "docs/*.md"]).filter(
  (path) =>
    !/(?:certify|control-plane|design-decisions|drift|fidelity|migrate|simulate-failures)\.md$/.test(path),
);

it.each(GUIDES)("what %s says about charges and repetition names its tests", (path) => {
  const name = basename(path, ".md");
  const listed = rows.filter(({ section, at }) => section === OF_GUIDES && at === name);
  const statements = sentencesIn(readFileSync(path, "utf8")).filter((each) => ABOUT_CHARGES.test(each));
  const lacking = statements.filter((each) => !listed.some(({ about }) => each.includes(about)));
  expect(lacking).toEqual([]);
  const unused = listed.filter(({ about }) => !statements.some((each) => each.includes(about)));
  expect(unused.map(({ about }) => about)).toEqual([]);
});

it("every policy option belongs to a sentence of the interface", () => {
  const named = sentences.flatMap(({ shownBy }) => shownBy.filter((by) => by.startsWith("policy ")));
  expect([...new Set(named)].sort()).toEqual(
    Object.keys(POLICY_FIELDS)
      .map((name) => `policy \`${name}\``)
      .sort(),
  );
});

it("docs/fidelity.md has the titles of the tests, and the policy and the drift report of `npm run docs:write`", async () => {
  const renewed = page
    .replace(/\d+ sentences/, `${sentences.length} sentences`)
    .replace(/(?<=^\[`async-music drift`\].*\n\n)(?:>.*\n)+/m, driftFigures())
    .replace(/(?<=^\| option \|.*\n\|.*\n)(?:\|.*\n)+/m, policyRows())
    .split("\n")
    .map((line) => renewedRow(line))
    .join("\n");
  await expect(renewed).toMatchFileSnapshot(PAGE);
});

it("the figures of a drift report stand above its first section", () => {
  const report = "# Drift report\n\nNo drift: 29 probes.\n\n- Date: 2026-01-01\n\n## Differences\n\nNone.\n";
  expect(figuresOf(report)).toBe("No drift: 29 probes.\n\n- Date: 2026-01-01");
});

/** The rows of every table but that of the policy. */
function rowsOf(markdown: string): Row[] {
  return markdown.split(/^## /m).flatMap((part) => {
    const [section = "", ...lines] = part.split("\n");
    if (section === OPEN) return [];
    return lines.flatMap((line) => {
      const [at, about, shownBy] = cellsOf(line);
      return at === undefined || about === undefined || shownBy === undefined
        ? []
        : [{ section, at, about, shownBy: shownBy.split("<br>") }];
    });
  });
}

/** The sentences and the table cells of a guide, without its code, its quotations, and the targets of its links. */
function sentencesIn(markdown: string): string[] {
  const text = markdown
    .replace(/^---\n.*?\n---\n/s, "")
    .replaceAll(/^ *```.*?^ *```/gms, "\n")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/"[^"\n]*"/g, "…");
  const blocks = text.split(/\n\s*\n|\n(?=[-*|#]|\d+\. )/).filter((block) => !block.startsWith("#"));
  const partsOf = (block: string) => block.split(block.startsWith("|") ? " | " : /(?<=[.?]) (?=[A-Z`*])/);
  return blocks.flatMap((block) => partsOf(block.replaceAll(/\s+/g, " ")));
}

/** The cells of a table's row; none for the header. */
function cellsOf(line: string): string[] {
  const cells = /^\| (.+?) \| (.+?) \| (.+) \|$/.exec(line)?.slice(1) ?? [];
  return cells.includes("---") ? [] : cells;
}

function renewedRow(line: string): string {
  const [at, about, shownBy, more] = cellsOf(line);
  if (shownBy === undefined || more !== undefined || shownBy.includes(" | ")) return line;
  const titles = shownBy.split("<br>").map((by) => currentTitle(by) ?? by);
  return `| ${at} | ${about} | ${titles.join("<br>")} |`;
}

/** A test with the groups around it, as the sources name them now; `undefined` where it does not exist. */
function currentTitle(by: string): string | undefined {
  if (by === "about the document itself" || /^policy `/.test(by)) return by;
  const [, file = "", title = ""] = /^`(.+?)`: (?:.* › )?(.+)$/.exec(by) ?? [];
  const full = titlesIn(file).get(title);
  return full === undefined ? undefined : `\`${file}\`: ${full}`;
}

/** The result, the date and the figures of the last drift report, as a quotation. */
function driftFigures(): string {
  const report = new URL(DRIFT_REPORT, import.meta.url);
  const missing =
    "None is committed: this package was made without access to the service. To make one, run\n" +
    "`async-music drift --report docs/reports/drift.md`.";
  const shown = existsSync(report) ? figuresOf(readFileSync(report, "utf8")) : missing;
  return shown
    .replaceAll(/^(?=.)/gm, "> ")
    .replaceAll(/^$/gm, ">")
    .concat("\n");
}

/** The text between the title and the first section. */
function figuresOf(report: string): string {
  return (report.split(/^## /m)[0] ?? "").replace(/^# .*\n+/, "").trimEnd();
}

function policyRows(): string {
  return Object.entries(POLICY_FIELDS)
    .map(([name, { default: usual, choices, range, decides }]) => {
      const others = choices.map((choice) => `\`${choice}\``).join(", ");
      const more = range === undefined ? "" : `; or a whole number from ${range[0]} to ${range[1]}`;
      return `| \`${name}\` | \`${usual}\` | ${others}${more} | ${decides} |\n`;
    })
    .join("");
}

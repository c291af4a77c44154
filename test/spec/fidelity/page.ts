import type { FixedDetail } from "./fixed.js";
import type { FIDELITY } from "./index.js";
import type { Sentence, Shown } from "./section.js";

/** One choice of the emulator's policy, as far as the page tells of it. */
export interface Choice {
  readonly default: unknown;
  readonly choices: readonly unknown[];
  readonly range?: readonly [number, number];
  readonly decides: string;
}

/** `docs/fidelity.md`: every sentence of the interface, and what shows that it holds. */
export function fidelityPage(
  sections: typeof FIDELITY,
  fixed: readonly FixedDetail[],
  policy: Readonly<Record<string, Choice>>,
  inFull: (by: Shown) => string | undefined,
): string {
  const sentences = sections.flatMap((each) => each.sentences);
  return [
    "---\ntitle: Fidelity\ngroup: Testing with the emulator\n---",
    "# Fidelity",
    `How we know that the emulator, and the SDK, do what the interface says: ${sentences.length} sentences and rows of it, each with the tests that show it. This page is made of the tests by \`npm run fidelity\`; a sentence without a test, or a test that is gone, fails the build.`,
    "A number counts the sentences of a section outside its tables (lead-ins that end in a colon are not counted, items of lists are); a row is named by its first cells, or by its error code. The middle column is only a reminder: the interface itself is the authority. `%s`, `$name` and the like stand for the rows of a table.",
    ...sections.map(({ name, sentences }) =>
      [
        `## ${name}`,
        table(
          ["", "about", "shown by"],
          sentences.map((each) => sentenceRow(each, inFull)),
        ),
      ].join("\n\n"),
    ),
    "## What the interface leaves open",
    'Where the interface is silent, the emulator has a named choice. `createEmulator({ policy: { … } })` sets it, `PATCH /_emulator/policy` too, and `policy: "vary"` draws every choice from the seed. The SDK passes its contract tests under each of these choices, and under 200 seeds.',
    table(["field", "default", "choices", "what it decides"], Object.entries(policy).map(policyRow)),
    "## What is fixed all the same",
    "Where a choice would help nobody, the emulator has one answer to what the interface leaves open.",
    table(
      ["", "what it does", "shown by"],
      fixed.map((detail) => sentenceRow(detail, inFull)),
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

function sentenceRow([at, about, ...shownBy]: Sentence, inFull: (by: Shown) => string | undefined): string[] {
  return [
    String(at).replace(/^row (.*)$/, "row `$1`"),
    about,
    shownBy.map((by) => inFull(by) ?? by).join("<br>"),
  ];
}

function policyRow([name, { default: usual, choices, range, decides }]: [string, Choice]): string[] {
  const others = choices.map((choice) => `\`${choice}\``).join(", ");
  return [
    `\`${name}\``,
    `\`${usual}\``,
    range === undefined ? others : `${others}; or a whole number from ${range[0]} to ${range[1]}`,
    decides,
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

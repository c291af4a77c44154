import { describe, expect, it } from "vitest";
import { POLICY_FIELDS } from "../../emulator/core/policy-fields.js";
import { FIXED } from "./fidelity/fixed.js";
import { FIDELITY } from "./fidelity/index.js";
import { fidelityPage } from "./fidelity/page.js";
import type { Shown } from "./fidelity/section.js";
import { titlesIn } from "./fidelity/titles.js";

const SENTENCES = FIDELITY.flatMap(({ name, sentences }) =>
  sentences.map(([at, about, ...shownBy]) => ({ place: `${name}, ${at}`, about, shownBy })),
);

describe("every sentence of the interface", () => {
  it("is listed: the numbers of each section run from 1 without a gap, and no row is there twice", () => {
    for (const { name, sentences } of FIDELITY) {
      const numbers = sentences.map(([at]) => at).filter((at) => typeof at === "number");
      expect([name, numbers]).toEqual([name, numbers.map((_, index) => index + 1)]);
    }
    const places = SENTENCES.map(({ place }) => place);
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  });

  it("has a test, and a test that there is", () => {
    const missing = SENTENCES.flatMap(({ place, shownBy }) =>
      shownBy.filter((by) => fullTitle(by) === undefined).map((by) => `${place}: ${by}`),
    );
    expect(missing).toEqual([]);
  });

  it("has more than a policy: the choice decides which way, and a test shows each", () => {
    const untested = SENTENCES.filter(({ shownBy }) => shownBy.every((by) => by.startsWith("policy: ")));
    expect(untested.map(({ place }) => place)).toEqual([]);
  });
});

it("every choice of the policy belongs to a sentence that leaves it open", () => {
  const named = SENTENCES.flatMap(({ shownBy }) => shownBy.filter((by) => by.startsWith("policy: ")));
  expect([...new Set(named)].sort()).toEqual(
    Object.keys(POLICY_FIELDS)
      .map((name) => `policy: ${name}`)
      .sort(),
  );
});

it("every fixed detail has a test, and a test that there is", () => {
  const missing = FIXED.flatMap(([topic, , ...shownBy]) =>
    shownBy.filter((by) => fullTitle(by) === undefined).map((by) => `${topic}: ${by}`),
  );
  expect(missing).toEqual([]);
});

it("docs/fidelity.md is what the tests make of it: run `npm run fidelity`", async () => {
  const page = fidelityPage(FIDELITY, FIXED, POLICY_FIELDS, fullTitle);
  await expect(page).toMatchFileSnapshot("../../docs/fidelity.md");
});

/** What a sentence is shown by, in full; `undefined` where that does not exist. */
function fullTitle(by: Shown): string | undefined {
  if (by === "document") return "about the document itself";
  const end = by.indexOf(": ");
  const [place, title] = [by.slice(0, end), by.slice(end + 2)];
  if (place === "policy") return Object.hasOwn(POLICY_FIELDS, title) ? `policy \`${title}\`` : undefined;
  const full = titlesIn(place).get(title);
  return full === undefined ? undefined : `\`${place}\`: ${full}`;
}

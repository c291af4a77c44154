import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chartOf, drawChart, isCharted } from "../../tools/bench/chart.js";
import { drawReport } from "../../tools/bench/draw.js";
import { LIBRARIES } from "../../tools/bench/libraries.js";
import type { Command, Report, Section } from "../../tools/bench/report.js";
import { type CallName, responses, serviceOf } from "../../tools/bench/responses.js";

const page = readFileSync("docs/performance.md", "utf8");
const report: Report = JSON.parse(readFileSync("docs/performance.json", "utf8"));

test("the page on performance shows exactly the measurements of the report", () => {
  expect(page).toBe(drawReport(page, report));
});

test("the charts show exactly the measurements of the report", () => {
  for (const [command, section] of Object.entries(report) as [Command, Section][]) {
    const chart = `docs/${chartOf(command)}`;
    expect([chart, existsSync(chart)]).toEqual([chart, section.tables.some(isCharted)]);
    if (existsSync(chart)) expect(readFileSync(chart, "utf8")).toBe(drawChart(section));
  }
});

test("every command of the report has a section on the page", () => {
  const measured = [...page.matchAll(/<!-- measured by (\S+) -->/g)].map(([, command]) => command);
  expect(measured.sort()).toEqual(Object.keys(report).sort());
});

test.each<CallName>(["retrieve", "create"])(
  "no call of the benchmarks waits for the rate limit: %s",
  async (call) => {
    const client = LIBRARIES["async-music"]?.("http://service.invalid", serviceOf((await responses())[call]));
    const began = performance.now();
    for (let count = 0; count < 130; count++) await client?.[call]();
    expect(performance.now() - began).toBeLessThan(20_000);
  },
);

test("a missed target is marked", () => {
  const rows = [
    { name: "fast", value: 2, ratio: 1.5, promise: { atMost: 1.5 } },
    { name: "slow", value: 2, ratio: 1.6, promise: { atMost: 1.5 } },
    { name: "few", value: 0.4, promise: { atLeast: 0.5 } },
  ];
  const tables = [{ title: "Speed", unit: "ms", against: "light", rows }];
  const section = {
    machine: "abacus",
    node: "24",
    date: "2026-01-01",
    load: { before: 0, after: 1 },
    tables,
  };
  const drawn = drawReport("<!-- measured by bench -->\n<!-- until here -->", { bench: section });
  expect(drawn).toContain("| fast | 2 | 1.5 | at most 1.5: met |");
  expect(drawn).toContain("| slow | 2 | 1.6 | at most 1.5: **missed** |");
  expect(drawn).toContain("| few | 0.4 |  | at least 0.5: **missed** |");
});

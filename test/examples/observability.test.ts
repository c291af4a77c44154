import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, test } from "vitest";
import { METRICS } from "../../src/opentelemetry/declared-metrics.js";
import { environment } from "./support/environment.js";
import { namesIn, samplesIn } from "./support/promql.js";

interface Panel {
  id: number;
  title: string;
  datasource: unknown;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { refId: string; datasource: unknown; expr: string }[];
}

const dashboard = JSON.parse(readFileSync("examples/observability/dashboard.json", "utf8"));
const panels: Panel[] = dashboard.panels;
const targets = panels.flatMap((panel) => panel.targets);

let scrape = "";

/** Runs the example, scrapes it once when all songs have ended, and ends it as Ctrl-C does. */
beforeAll(async () => {
  const env = { ...environment, PORT: "0" };
  const example = spawn(process.execPath, [resolve("examples/observability/main.ts")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(example, "exit");
  try {
    for await (const line of createInterface(example.stdout)) {
      const [url] = /http:\S+/.exec(line) ?? [];
      if (url === undefined) continue;
      scrape = await (await fetch(url)).text();
      break;
    }
  } finally {
    example.kill("SIGINT");
  }
  expect(await exit).toEqual([0, null]);
});

describe("the example of metrics", () => {
  test("exports every declared metric, by the naming rules of Prometheus", () => {
    const suffixes = { counter: "_total", histogram: "_bucket", gauge: "" } as const;
    const names = Object.values(METRICS).map(({ name, kind }) => name.replaceAll(".", "_") + suffixes[kind]);
    const samples = samplesIn(scrape);
    expect(names.filter((name) => !samples.has(name))).toEqual([]);
  });

  test("has the outcomes of its songs", () => {
    const numberIn = (pattern: RegExp) => Number(pattern.exec(scrape)?.[1]);
    expect(numberIn(/^async_music_submissions_total\{.*outcome="unknown".*\} (\d+)/m)).toBe(1);
    expect(numberIn(/^async_music_tasks_total\{.*outcome="failure".*\} (\d+)/m)).toBe(1);
    expect(numberIn(/^async_music_tasks_total\{.*outcome="success".*\} (\d+)/m)).toBe(28);
    expect(numberIn(/^async_music_attempts_total\{.*status_code="429".*\} (\d+)/m)).toBe(1);
  });
});

describe("the dashboard", () => {
  test("queries only metrics and labels that the example exports, in valid PromQL", () => {
    const samples = samplesIn(scrape);
    // Prometheus adds the job to each sample that it scrapes.
    const labels = new Set([...samples.values()].flatMap((each) => [...each]).concat("job"));
    expect(targets.length).toBeGreaterThan(10);
    for (const { expr } of targets) {
      const names = namesIn(expr);
      expect(names.errors).toEqual([]);
      expect(names.metrics.length, expr).toBeGreaterThan(0);
      expect(
        names.metrics.filter((name) => !samples.has(name)),
        expr,
      ).toEqual([]);
      expect(
        names.labels.filter((name) => !labels.has(name)),
        expr,
      ).toEqual([]);
    }
  });

  test("shows every metric", () => {
    const queried = targets.flatMap(({ expr }) => namesIn(expr).metrics);
    const shown = (name: string) => queried.some((each) => each.startsWith(name.replaceAll(".", "_")));
    expect(Object.values(METRICS).filter(({ name }) => !shown(name))).toEqual([]);
  });

  test("has the data source of every panel and query as a variable", () => {
    const variables: { name: string; type: string; query: unknown }[] = dashboard.templating.list;
    expect(variables).toContainEqual(
      expect.objectContaining({ name: "datasource", type: "datasource", query: "prometheus" }),
    );
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces the variable.
    const variable = { type: "prometheus", uid: "${datasource}" };
    for (const { datasource } of [...panels, ...targets]) expect(datasource).toEqual(variable);
    const used = targets.flatMap(({ expr }) => [...expr.matchAll(/"\$(\w+)"/g)].map(([, name]) => name));
    const names = variables.map(({ name }) => name);
    expect(used.filter((name) => !names.includes(String(name)))).toEqual([]);
  });

  test("has panels with ids and titles of their own, within 24 columns and without overlaps", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { targets: own } of panels)
      expect(new Set(own.map(({ refId }) => refId)).size).toBe(own.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });
});

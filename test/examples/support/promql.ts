import { parser } from "@prometheus-io/lezer-promql";

/** The names in a query of Prometheus. */
export interface QueryNames {
  metrics: string[];
  labels: string[];
  /** The parts that are no PromQL. */
  errors: string[];
}

/** The names in a query of a Grafana panel, whose variables stand for durations. */
export function namesIn(query: string): QueryNames {
  const promql = query.replace(/\$__(rate_interval|range|interval)/g, "5m");
  const names: QueryNames = { metrics: [], labels: [], errors: [] };
  parser.parse(promql).iterate({
    enter({ type, from, to }) {
      const text = promql.slice(from, to);
      if (type.isError) names.errors.push(`${promql} at ${from}`);
      if (type.name === "Identifier") names.metrics.push(text);
      if (type.name === "LabelName") names.labels.push(text);
    },
  });
  return names;
}

/** The names of the samples in a scrape, each with the labels that one of them has. */
export function samplesIn(scrape: string): Map<string, Set<string>> {
  const samples = new Map<string, Set<string>>();
  for (const line of scrape.split("\n")) {
    const [, name, labels = ""] = /^([a-zA-Z_:][\w:]*)(\{.*\})? \S+/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = samples.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/[{,](\w+)="/g)) known.add(label);
    samples.set(name, known);
  }
  return samples;
}

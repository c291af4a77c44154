import { ESTIMATED } from "./estimated-durations.js";
import { type Coverage, measureEstimates } from "./estimates.js";

/**
 * `npm run estimates`: how often the bounds of `client.tasks.estimate` hold, for 10,000 tasks of each of three distributions, and for
 * the first tasks of many new clients.
 */
const TASKS = 10_000;
const PER_SECOND = 0.3;

print("", "moment", "tasks", "in median", "in p90");
for (const durations of ESTIMATED) {
  const { atSubmission, whileWaiting, all } = await measureEstimates({
    durations,
    tasks: TASKS,
    perSecond: PER_SECOND,
    seed: 1,
  });
  report(durations.name, "at submission", atSubmission);
  report("", "while waiting", whileWaiting);
  report("", "all", all);
}
for (const durations of ESTIMATED) {
  const first: Coverage[] = [];
  for (let seed = 1; seed <= 40; seed++)
    first.push((await measureEstimates({ durations, tasks: 70, perSecond: PER_SECOND, seed })).all);
  const tasks = first.reduce((sum, each) => sum + each.tasks, 0);
  const mean = (name: "median" | "p90") =>
    first.reduce((sum, each) => sum + (each.tasks === 0 ? 0 : each.tasks * each[name]), 0) / tasks;
  report(`${durations.name}, new clients`, "all", { tasks, median: mean("median"), p90: mean("p90") });
}

function report(name: string, moment: string, { tasks, median, p90 }: Coverage): void {
  print(name, moment, String(tasks), `${(100 * median).toFixed(1)} %`, `${(100 * p90).toFixed(1)} %`);
}

function print(name: string, moment: string, ...figures: string[]): void {
  console.log(name.padEnd(24) + moment.padEnd(16) + figures.map((figure) => figure.padStart(12)).join(""));
}

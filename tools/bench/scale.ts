/**
 * Measures costs with many tasks and waits: `npm run bench:scale`, about 15 min. A number sets the maximum:
 * `npm run bench:scale -- 1000`.
 */

import { measureDay } from "./day.ts";
import { print, publish } from "./publish.ts";
import type { Table } from "./report.ts";
import { measureTasks } from "./tasks.ts";
import { measureWaits } from "./waits.ts";

const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);

const tables: Table[] = [];
for (const measure of [measureTasks, measureWaits, measureDay]) {
  const measured = await measure(most);
  print(measured);
  tables.push(...measured);
  publish("bench:scale", tables);
}

/**
 * What it costs where there is much of everything: `npm run bench:scale`, which takes a quarter of an hour; with a
 * number, such as `npm run bench:scale -- 1000`, no more than so many of anything.
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

/** Compares speed and size of the SDK and the emulator with those of similar packages: `npm run bench`. */

import { measureCalls } from "./calls.ts";
import { measureImport } from "./import-time.ts";
import { measureLoopback } from "./loopback.ts";
import { measurePort, measureStart } from "./port.ts";
import { print, publish } from "./publish.ts";
import type { Table } from "./report.ts";
import { measureSize } from "./size.ts";

const tables: Table[] = [];
for (const measure of [
  measureCalls,
  measureLoopback,
  measureImport,
  measureSize,
  measurePort,
  measureStart,
]) {
  const measured = await measure();
  print(measured);
  tables.push(...measured);
}
publish("bench", tables);

/** A process with one test. It says when it is ready, starts when it is told to, and writes what it observed. */

import { once } from "node:events";
import { useEmulator } from "./tenant.js";

const [url = "", variant = ""] = process.argv.slice(2);
const ready = async () => {
  process.stdout.write("ready\n");
  await once(process.stdin, "data");
};
process.stdout.write(`${JSON.stringify(await useEmulator(fetch, url, Number(variant), ready))}\n`);
process.exit(0);

#!/usr/bin/env node
import { runProgram } from "./program.js";
import { processSurroundings } from "./terminal/process-surroundings.js";

const status = await runProgram(process.argv.slice(2), processSurroundings());
if (status !== 0) process.exitCode = status;
// What was written may still be on its way to a pipe. A request that was given up holds nothing up.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write("", done))),
);
process.exit();

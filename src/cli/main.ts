#!/usr/bin/env node
import { runProgram } from "./program.js";
import { processSurroundings } from "./terminal/process-surroundings.js";

const status = await runProgram(process.argv.slice(2), processSurroundings());
// What was written may still be on its way to a pipe: the process ends by itself once it is there.
if (status !== 0) process.exitCode = status;

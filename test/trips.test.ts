import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

// The number of files and functions between a public method and the network.

interface Count {
  files: number;
  functions: number;
}

let trips: Record<string, { sdk: Count; emulator: Count }> = {};

beforeAll(async () => {
  const flags = ["--import", "./scripts/run-sources.ts", "scripts/trips.ts", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  trips = JSON.parse(stdout);
});

test.each([
  ["create", { files: 14, functions: 80 }, { files: 18, functions: 80 }],
  ["retrieve", { files: 13, functions: 75 }, { files: 17, functions: 75 }],
  ["wait", { files: 20, functions: 150 }, { files: 24, functions: 130 }],
  ["run_all_journal", { files: 26, functions: 200 }, { files: 24, functions: 130 }],
  ["download", { files: 8, functions: 35 }, { files: 14, functions: 55 }],
  ["post_on_port", { files: 2, functions: 10 }, { files: 18, functions: 85 }],
])("%s runs through at most %j of the SDK and %j of the emulator", (name, sdk, emulator) => {
  const trip = trips[name];
  expect(trip?.sdk.files).toBeLessThanOrEqual(sdk.files);
  expect(trip?.sdk.functions).toBeLessThanOrEqual(sdk.functions);
  expect(trip?.emulator.files).toBeLessThanOrEqual(emulator.files);
  expect(trip?.emulator.functions).toBeLessThanOrEqual(emulator.functions);
});

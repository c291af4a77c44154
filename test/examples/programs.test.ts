import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { runExample } from "./support/run-example.js";

/** Lines that each program writes. */
const expected: Record<string, readonly RegExp[]> = {
  "batch.ts": [/https:/, /^wild: left out, the ceiling is reached$/m, /^965 credits are left\.$/m],
  "continuation.ts": [/^Joined: songs\/.+\.mp3$/m, /^It cost 16 credits\.$/m],
  "demo.ts": [/rain-in-lisbon.*\.mp3$/m, /^It cost 10 credits .* 90 are left\.$/m],
  "lyrics-to-song.ts": [/^\[Chorus\]$/m, /^songs\/.+\.mp3$/m],
};

test.each(globSync("*.ts", { cwd: "examples" }))("%s runs to its end on the built package", (program) => {
  const output = runExample(`examples/${program}`);
  expect(expected).toHaveProperty([program]);
  for (const line of expected[program] ?? []) expect(output).toMatch(line);
});

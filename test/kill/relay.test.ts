import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileJournal } from "async-music/node";
import { afterAll, beforeAll, test } from "vitest";
import { killRelays, startRelay } from "../support/relay-fleet.js";
import { bundle } from "./support.js";

let folder: string;
let script: string;

beforeAll(async () => {
  const external = ["pg", "ioredis", "redis"];
  ({ folder, script } = await bundle("test/kill/run-relay.ts", { external }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("while two relays are killed a hundred times, each end is delivered, and duplicates have one ID", async () => {
  const path = join(folder, "journal");
  await killRelays(fileJournal(path), 100, ([url = "", key = "", ...rest]) =>
    startRelay([script, url, key, path, ...rest]),
  );
});

import { join } from "node:path";
import { fileJournal } from "async-music/node";
import { test } from "vitest";
import { killRelays, startRelay } from "../support/relay-fleet.js";
import { bundle } from "./support.js";

const { folder, script } = await bundle("test/kill/run-relay.ts");

test("while two relays are killed a hundred times, each end is delivered, and duplicates have one ID", async () => {
  const path = join(folder, "journal");
  await killRelays(fileJournal(path), 100, ([url = "", key = "", ...rest]) =>
    startRelay([script, url, key, path, ...rest]),
  );
});

import { execFile } from "node:child_process";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createFolder } from "../../support/folder.js";
import { listen } from "../../support/loopback.js";

const MEBIBYTE = 2 ** 20;

/** Runs measure.ts in a separate process. */
async function measure(...given: string[]): Promise<unknown> {
  const flags = ["--expose-gc", "--import", "./tools/loader/run-sources.ts", "test/sdk/memory/measure.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...given]);
  return JSON.parse(stdout);
}

/** Sends 200 MiB with backpressure. */
function sendFile(response: ServerResponse): void {
  const piece = Buffer.alloc(MEBIBYTE, "la");
  response.writeHead(200, { "Content-Type": "audio/mpeg", "Content-Length": String(200 * MEBIBYTE) });
  let sent = 0;
  const send = () => {
    while (sent < 200) {
      sent++;
      if (!response.write(piece)) {
        response.once("drain", send);
        return;
      }
    }
    response.end();
  };
  send();
}

test("saving a file of 200 MiB takes at most 10 MiB more memory than a bare fetch to disk", async () => {
  const { url } = await listen(sendFile);
  const folder = await createFolder();
  const bare = await measure("bare fetch", url, join(folder, "bare"));
  const saved = await measure("saved download", url, join(folder, "saved"));
  expect(Number(saved) - Number(bare)).toBeLessThan(10 * MEBIBYTE);
});

test("2,000 unread or canceled downloads or unused journals on one long-lived object leave less than 200 bytes each", async () => {
  const bytes = Object.entries(Object(await measure("repeated work")));
  expect(bytes).toHaveLength(5);
  for (const [what, each] of bytes) expect(each, what).toBeLessThan(200);
});

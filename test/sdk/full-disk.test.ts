import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JournalError } from "async-music";
import { fileJournal } from "async-music/node";
import { afterAll, expect, test } from "vitest";
import { SONG_REQUEST, serve, succeeded } from "../support/answers.js";
import { posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { createWorld } from "../support/world.js";

/** A disk of 256 kB; `null` if the test may not mount one. */
const disk = mountDisk();
const testOnDisk = test.skipIf(disk === null);

afterAll(() => {
  if (disk === null) return;
  execFileSync("umount", [disk]);
  rmdirSync(disk);
});

testOnDisk(
  "a full disk fails before the POST, and the task is recorded if the disk fills up during it",
  async () => {
    const root = disk ?? "";
    const journal = fileJournal(join(root, "journal"));
    const world = createWorld((request) => {
      if (request.method === "POST") fill(root);
      return serve(request);
    });
    const run = (journalKey: string) =>
      world.client.tasks.run(SONG_REQUEST, { journal, journalKey, onUnrecorded });

    await expect(run("order-1")).resolves.toEqual(succeeded());
    expect(await journal.get("order-1")).toMatchObject({ state: "submitted" });

    const error = await rejection(run("order-2"), JournalError);
    expect(error.message).toContain("ENOSPC");
    expect(posts(world)).toHaveLength(1);
    expect(await journal.get("order-2")).toBeNull();
  },
);

function onUnrecorded(): never {
  return expect.fail("It was recorded");
}

function fill(folder: string): void {
  expect(() => writeFileSync(join(folder, "ballast"), Buffer.alloc(1_000_000))).toThrow("ENOSPC");
}

function mountDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "async-music-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmdirSync(folder);
    return null;
  }
}

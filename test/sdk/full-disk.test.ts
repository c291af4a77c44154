import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JournalError } from "async-music";
import { fileJournal } from "async-music/node";
import { afterAll, expect, test } from "vitest";
import { posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { accepted, SONG_REQUEST, serve, succeeded, TASK_ID } from "../support/responses.js";
import { createWorld } from "../support/world.js";

/** A disk of 256 kB; `null` if the test may not mount one. */
const disk = mountDisk();
const testOnDisk = test.skipIf(disk === null);

afterAll(() => {
  if (disk === null) return;
  execFileSync("umount", [disk]);
  rmdirSync(disk);
});

/** An entry repeats its request; a character of it takes up to three bytes in UTF-8. A later version may add long fields. */
const SONGS = [
  [SONG_REQUEST, {}],
  [{ ...SONG_REQUEST, input: { gpt_description_prompt: "雨".repeat(10_000) } }, {}],
  [SONG_REQUEST, { note: "x".repeat(20_000) }],
] as const;

testOnDisk.each(SONGS)(
  "a full disk fails before the POST, or the task is recorded: song %#",
  async (song, fields) => {
    const root = disk ?? "";
    rmSync(join(root, "ballast"), { force: true });
    rmSync(join(root, "journal"), { recursive: true, force: true });
    const journal = fileJournal(join(root, "journal"));
    const world = createWorld((request) => {
      if (request.method !== "POST") return serve(request);
      fill(root);
      return accepted(fields);
    });
    const run = (journalKey: string) => world.client.tasks.run(song, { journal, journalKey, onUnrecorded });

    await expect(run("order-1")).resolves.toEqual(succeeded());
    const submission = { task_id: TASK_ID, credits_charged: 10 };
    expect(await journal.get("order-1")).toMatchObject({ state: "submitted", task_id: TASK_ID, submission });

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

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRevisions } from "../../../src/node/revisions.js";
import { createFolder } from "../../support/folder.js";

test("a stalled writer cannot write a revision whose number was already used and removed", async () => {
  const path = await createFolder();
  const revisions = createRevisions(path);
  const before = await revisions.latest("song");
  let latest = before;
  for (const content of ["one", "two", "three"]) {
    expect(await revisions.add("song", latest, content, 100)).toBe(true);
    latest = await revisions.latest("song");
  }
  expect(await readdir(join(path, "song"))).toContain("3");

  expect(await revisions.add("song", before, "late", 100)).toBe(false);
  expect(await revisions.add("song", { number: 1, content: "one" }, "late", 0)).toBe(false);
  expect(await revisions.latest("song")).toEqual({ number: 3, content: "three" });
  expect(await readdir(join(path, "song"))).not.toContain("1");
});

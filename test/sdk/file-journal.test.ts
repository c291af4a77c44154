import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JournalError } from "async-music";
import { fileJournal } from "async-music/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accepted, ok, SONG_REQUEST, succeeded } from "../support/answers.js";
import { describeJournal } from "../support/describe-journal.js";
import { journalEntry } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { createWorld, type SeenRequest } from "../support/world.js";

const KEY = "order-1";
const serve = ({ method }: SeenRequest) => (method === "POST" ? accepted() : ok(succeeded()));

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "async-music-"));
  path = join(folder, "journal");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Every file of the journal. */
async function files(): Promise<string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

async function onlyFile(): Promise<string> {
  const [file, ...others] = await files();
  if (file === undefined || others.length > 0) expect.fail(`Expected one file, got ${others.length}`);
  return file;
}

const intent = (revision: string) => journalEntry("intent", { revision });
const record = (revision: string) => journalEntry("submitted", { revision });

describeJournal(async () => async () => fileJournal(path));

test("who takes and who frees a key at once never both believe that they hold it", async () => {
  const journals = Array.from({ length: 4 }, () => fileJournal(path));
  let holders = 0;
  let most = 0;
  const work = async (journal: ReturnType<typeof fileJournal>, worker: number) => {
    for (let round = 0; round < 25; round++) {
      const name = `${worker}-${round}`;
      if (!(await journal.put(KEY, intent(name), null))) continue;
      most = Math.max(most, ++holders);
      await new Promise(setImmediate);
      holders--;
      expect(await journal.delete(KEY, name)).toBe(true);
    }
  };
  await Promise.all(journals.map(work));
  expect(most).toBe(1);
  expect(await files()).toHaveLength(1);
});

test("one file is left of a finished run, and no draft", async () => {
  const { client } = createWorld(serve);
  await client.tasks.run(SONG_REQUEST, { journal: fileJournal(path), journalKey: KEY });
  const file = await onlyFile();
  expect(file.endsWith("2")).toBe(true);
  expect(await readFile(file, "utf8")).toContain('"key":"order-1"');
});

test("what killed processes left behind is cleared away with the next revision", async () => {
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  const [inside = ""] = await files();
  const left = join(inside, "..");
  await writeFile(join(left, "1.a-draft"), "half of");
  await writeFile(join(left, "2.another-draft"), "");
  await journal.put(KEY, record("b"), "a");
  expect(await readdir(left)).toEqual(["2"]);
});

test("room for the record is set aside with the intent, and the record takes it", async () => {
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  const sizes = await Promise.all((await files()).map(async (file) => (await readFile(file)).length));
  expect(Math.max(...sizes)).toBeGreaterThan(4096);
  await journal.put(KEY, record("b"), "a");
  expect((await readFile(await onlyFile())).length).toBeLessThan(1000);
});

test.each([
  ["cut", (text: string) => text.slice(0, -20)],
  ["emptied", () => ""],
  ["overwritten", () => "nonsense"],
  ["changed in one place", (text: string) => text.replace("7f1c0d6e", "7f1c0d6f")],
])("a file that was %s is a clear error, and never a POST", async (_, damage) => {
  const { client, requests } = createWorld(serve);
  const options = { journal: fileJournal(path), journalKey: KEY };
  await client.tasks.run(SONG_REQUEST, options);
  const file = await onlyFile();
  await writeFile(file, damage(await readFile(file, "utf8")));

  requests.length = 0;
  const error = await rejection(client.tasks.run(SONG_REQUEST, options), JournalError);
  expect(error.message).toContain(file);
  expect(error.message).toContain("damaged");
  expect(requests).toEqual([]);
});

test("a folder that is not there, a file in its place, and a folder in a file's place are clear errors", async () => {
  const { client, requests } = createWorld(serve);
  const run = (journal: string) =>
    client.tasks.run(SONG_REQUEST, { journal: fileJournal(journal), journalKey: KEY });
  await rejection(run(join(folder, "missing", "journal")), JournalError);
  await writeFile(path, "a file");
  expect((await rejection(run(path), JournalError)).message).toContain(path);
  await rm(path);
  await fileJournal(path).put("another", intent("a"), null);
  const [taken = ""] = await readdir(path);
  await rm(join(path, taken), { recursive: true });
  await mkdir(join(path, taken, "1"), { recursive: true });
  await rejection(
    client.tasks.run(SONG_REQUEST, { journal: fileJournal(path), journalKey: "another" }),
    JournalError,
  );
  expect(requests).toEqual([]);
});

test.each(["", undefined, null, 7])(
  "the path %j is refused, and not taken for the working directory",
  (given) => {
    expect(() => fileJournal(given as string)).toThrow(/^Expected `path` to be a text that is not empty/);
  },
);

test("one path is one journal, however it is written", () => {
  expect(fileJournal(join(folder, "other", "..", "journal"))).toBe(fileJournal(path));
});

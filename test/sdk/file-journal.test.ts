import files, { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { JournalDamagedError, JournalError } from "async-music";
import { fileJournal } from "async-music/node";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { describeJournal } from "../support/describe-journal.js";
import { createFolder, replaceInFiles } from "../support/folder.js";
import { journalEntry } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST, serve } from "../support/responses.js";
import { createWorld } from "../support/world.js";

const KEY = "order-1";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await createFolder();
  path = join(folder, "journal");
});

/** Every file of the journal. */
async function filesBelow(): Promise<string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

async function onlyFile(): Promise<string> {
  const [file, ...others] = await filesBelow();
  if (file === undefined || others.length > 0) expect.fail(`Expected one file, got ${others.length}`);
  return file;
}

const intent = (revision: string) => journalEntry("intent", { revision });
const record = (revision: string) => journalEntry("submitted", { revision });

describeJournal(async () => async () => fileJournal(path));

test("a key can be read while another process replaces its entry and deletes the old file", async () => {
  const [reader, writer] = [fileJournal(path), fileJournal(path)];
  await writer.put(KEY, intent("0"), null);
  const { readFile: read } = files;
  let isReplaced = false;
  const readReplaced = async (file: string, encoding: "utf8") => {
    if (!isReplaced) {
      isReplaced = true;
      await writer.put(KEY, record("1"), "0");
      await rm(file, { force: true });
    }
    return read(file, encoding);
  };
  replaceInFiles("readFile", readReplaced as typeof read);
  expect(await reader.get(KEY)).toMatchObject({ revision: "1" });
  expect(isReplaced).toBe(true);
});

test("concurrent processes that take and release a key never hold it at the same time", async () => {
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
  expect(await filesBelow()).toHaveLength(1);
});

test("a finished run leaves one file and no draft", async () => {
  const { client } = createWorld(serve);
  await client.tasks.run(SONG_REQUEST, { journal: fileJournal(path), journalKey: KEY });
  const file = await onlyFile();
  // The intent, the task and its end.
  expect(file.endsWith("3")).toBe(true);
  expect(await readFile(file, "utf8")).toContain('"key":"order-1"');
});

test("the next revision removes the files of killed processes", async () => {
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  const [inside = ""] = await filesBelow();
  const left = join(inside, "..");
  await writeFile(join(left, "1.a-draft"), "half of");
  await writeFile(join(left, "2.another-draft"), "");
  await journal.put(KEY, record("b"), "a");
  expect(await readdir(left)).toEqual(["2"]);
});

test("disk space for the record is reserved with the intent and used by the record", async () => {
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  const sizes = await Promise.all((await filesBelow()).map(async (file) => (await readFile(file)).length));
  expect(Math.max(...sizes)).toBeGreaterThan(4096);
  await journal.put(KEY, record("b"), "a");
  expect((await readFile(await onlyFile())).length).toBeLessThan(1000);
});

test.each([
  ["cut", (text: string) => text.slice(0, -20)],
  ["emptied", () => ""],
  ["overwritten", () => "nonsense"],
  ["changed in one place", (text: string) => text.replace("7f1c0d6e", "7f1c0d6f")],
])("a file that was %s is a clear error, and nothing is sent", async (_, damage) => {
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

test("the directory and its parents are created with the first entry", async () => {
  const { client } = createWorld(serve);
  const deep = join(folder, "data", "music", "journal");
  const journal = fileJournal(deep);
  expect([await journal.open(), await readdir(folder)]).toEqual([[], []]);
  await client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY });
  expect(await fileJournal(deep).get(KEY)).toMatchObject({ status: "success" });
});

test.runIf(process.platform === "linux")("a directory that can't be made is reported", async () => {
  const journal = fileJournal("/proc/async-music/journal");
  await expect(journal.put(KEY, intent("a"), null)).rejects.toMatchObject({ code: "ENOENT" });
});

// Only a process has a umask, no worker thread.
test.skipIf(process.platform === "win32" || !isMainThread)(
  "files and directories are accessible only to their owner",
  async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    path = join(folder, "data", "journal");
    const journal = fileJournal(path);
    await journal.put(KEY, intent("a"), null);
    await journal.put("order-2", intent("a"), null);
    await journal.put("order-2", record("b"), "a");
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const modes = found.map(async (each) => {
      const { mode } = await stat(join(each.parentPath, each.name));
      return [each.isDirectory() ? "directory" : "file", (mode & 0o777).toString(8)].join(" ");
    });
    expect(new Set(await Promise.all(modes))).toEqual(new Set(["directory 700", "file 600"]));
  },
);

test("open ignores files that are not the journal's, and names a file that is damaged", async () => {
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  await writeFile(join(path, ".DS_Store"), "not an entry");
  await mkdir(join(path, "backup"));
  expect(await journal.open()).toMatchObject([{ key: KEY, state: "intent" }]);
  const [file = ""] = (await filesBelow()).filter((each) => each.endsWith("/1"));
  await writeFile(file, "nonsense");
  await expect(journal.open()).rejects.toThrow(file);
});

test("open lists the open keys beside damaged entries, and names the keys that can still be read", async () => {
  const journal = fileJournal(path);
  const damage = async (key: string, change: (text: string) => string) => {
    const before = await filesBelow();
    await journal.put(key, record("a"), null);
    const [file = ""] = (await filesBelow()).filter((each) => !before.includes(each));
    await writeFile(file, change(await readFile(file, "utf8")));
    return file;
  };
  await journal.put(KEY, intent("a"), null);
  const emptied = await damage("order-2", () => "");
  await damage('order "3"', (text) => text.slice(0, -20));
  const error = await rejection(journal.open(), JournalDamagedError);
  expect(error.orders).toMatchObject([{ key: KEY, state: "intent" }]);
  expect(error).toMatchObject({ damagedKeys: ['order "3"'], journalKey: 'order "3"' });
  expect(error.message).toContain("Failed to read 2 of the journal's entries");
  expect(error.message).toContain('key "order \\"3\\"": Failed to read');
  expect(error.message).toContain(emptied);
  expect(error).toBeInstanceOf(JournalError);
});

const FOREIGN_NAMES = ["07", "9".repeat(20), "1e3", "-1"];
test.each(FOREIGN_NAMES)("a foreign file %j in a key's directory is ignored", async (name) => {
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  const directory = dirname((await filesBelow())[0] ?? "");
  await writeFile(join(directory, name), "mine");
  expect(await journal.get(KEY)).toEqual(intent("a"));
  expect(await journal.put(KEY, record("b"), "a")).toBe(true);
  expect(await journal.open()).toMatchObject([{ key: KEY, state: "submitted" }]);
  expect(await readFile(join(directory, name), "utf8")).toBe("mine");
});

test("a broken link as the latest revision is a damaged entry", async () => {
  const { client, requests } = createWorld(serve);
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  const link = join(dirname((await filesBelow())[0] ?? ""), "99");
  await symlink(join(folder, "missing"), link);
  await expect(journal.put(KEY, record("b"), "a")).rejects.toThrow(link);
  await rejection(client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY }), JournalError);
  await rejection(journal.open(), JournalDamagedError);
  expect(requests).toEqual([]);
});

test("a file instead of a directory, or a directory instead of a file, is a clear error", async () => {
  const { client, requests } = createWorld(serve);
  const run = (journal: string) =>
    client.tasks.run(SONG_REQUEST, { journal: fileJournal(journal), journalKey: KEY });
  await writeFile(path, "a file");
  await rejection(run(join(path, "journal")), JournalError);
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

const BAD_PATHS = ["", undefined, null, 7];
test.each(BAD_PATHS)("the path %j is refused and does not mean the working directory", (given) => {
  expect(() => fileJournal(given as string)).toThrow(/^`path` must be a string that is not empty/);
});

test.each(["redis://cache:6379", "postgres://db/orders", "file:///tmp/journal"])(
  "the address %s is refused, which is no directory that machines share",
  (given) => {
    expect(() => fileJournal(given)).toThrow(/^`path` must be a directory, not an address: /);
  },
);

test("different spellings of one path open the same journal", () => {
  expect(fileJournal(join(folder, "other", "..", "journal"))).toBe(fileJournal(path));
});

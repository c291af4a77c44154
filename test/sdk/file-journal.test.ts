import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JournalError, SubmissionOutcomeUnknownError } from "async-music";
import { fileJournal } from "async-music/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accepted, ok, refusal, SONG_REQUEST, succeeded } from "../support/answers.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { createWorld, inTurn, type SeenRequest } from "../support/world.js";

const KEY = "order-1";
const serve = ({ method }: SeenRequest) => (method === "POST" ? accepted() : ok(succeeded()));
const lost = () => Promise.reject(new TypeError("fetch failed"));

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

test("an entry is there for whoever opens the same path", async () => {
  expect(await fileJournal(path).get(KEY)).toBeNull();
  expect(await fileJournal(path).put(KEY, intent("a"), null)).toBe(true);
  expect(await fileJournal(path).get(KEY)).toEqual(intent("a"));
  expect(await fileJournal(path).put(KEY, record("b"), "a")).toBe(true);
  expect(await fileJournal(path).get(KEY)).toEqual(record("b"));
});

test("what is no longer the entry can't be replaced or freed", async () => {
  const journal = fileJournal(path);
  expect(await journal.put(KEY, intent("a"), "x")).toBe(false);
  expect(await journal.delete(KEY, "a")).toBe(false);
  await journal.put(KEY, intent("a"), null);
  expect(await journal.put(KEY, intent("b"), null)).toBe(false);
  expect(await journal.put(KEY, record("b"), "x")).toBe(false);
  expect(await journal.delete(KEY, "x")).toBe(false);
  expect(await journal.get(KEY)).toEqual(intent("a"));
});

test("a key that was freed can be taken again, and forgets whoever had it", async () => {
  const journal = fileJournal(path);
  await journal.put(KEY, intent("a"), null);
  expect(await journal.delete(KEY, "a")).toBe(true);
  expect(await journal.get(KEY)).toBeNull();
  expect(await journal.put(KEY, record("late"), "a")).toBe(false);
  expect(await journal.put(KEY, intent("b"), null)).toBe(true);
  expect(await journal.delete(KEY, "a")).toBe(false);
  expect(await journal.get(KEY)).toEqual(intent("b"));
});

test("of many who take one key at once, one succeeds", async () => {
  for (let round = 0; round < 10; round++) {
    const names = Array.from({ length: 10 }, (_, index) => `${round}-${index}`);
    const previous = (await fileJournal(path).get(KEY))?.revision ?? null;
    const taken = await Promise.all(names.map((name) => fileJournal(path).put(KEY, intent(name), previous)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const holder = names[taken.indexOf(true)];
    expect(await fileJournal(path).get(KEY)).toEqual(intent(holder ?? ""));
  }
});

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

test.each([" ", "../../etc", "ключ", "__proto__", "a\u0000b", "CON", "x".repeat(10_000)])(
  "any text that is not empty is a key",
  async (journalKey) => {
    const world = createWorld(serve);
    for (const _ of [1, 2]) {
      await world.client.tasks.run(SONG_REQUEST, { journal: fileJournal(path), journalKey });
    }
    expect(posts(world)).toHaveLength(1);
  },
);

test("one path is one journal, however it is written", () => {
  expect(fileJournal(join(folder, "other", "..", "journal"))).toBe(fileJournal(path));
});

test("clients of one path and key: one posts, both get the song; unknown stays unknown, refused is free", async () => {
  const options = () => ({ journal: fileJournal(path), journalKey: KEY });
  const refused = createWorld(() => refusal(402, "insufficient_credits"));
  await refused.client.tasks.run(SONG_REQUEST, options()).catch(() => {});

  const [one, other] = [createWorld(serve), createWorld(serve)];
  const songs = await Promise.all(
    [one, other].map(({ client }) => client.tasks.run(SONG_REQUEST, options())),
  );
  expect(songs).toEqual([succeeded(), succeeded()]);
  expect([...posts(one), ...posts(other)]).toHaveLength(1);

  const unlucky = createWorld(inTurn(lost, () => accepted()));
  for (const _ of [1, 2]) {
    const run = unlucky.client.tasks.run(SONG_REQUEST, { ...options(), journalKey: "order-2" });
    await rejection(run, SubmissionOutcomeUnknownError);
  }
  expect(posts(unlucky)).toHaveLength(1);
});

import { open, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { AsyncMusic, type Journal, type JournalEntry } from "async-music";
import { fileJournal, type SaveAudioOptions, saveAudio } from "async-music/node";
import { describe, expect, test } from "vitest";
import { crashStates, type IsSkipped, type Tree } from "../support/disk/crash-states.js";
import { type Disk, mountDisk, onDisk } from "../support/disk/disk.js";
import { journalEntry } from "../support/journals.js";
import { streamOf } from "../support/stream.js";

// After a power cut at any moment, whatever was not synced may be lost. `kill -9` shows none of this, since the kernel keeps
// everything that a killed process wrote.

/** A check of a disk after a power cut. @throws if it breaks a promise */
type Check = () => Promise<void>;

/** A history that was recorded, and what must be true after a power cut at each of its moments. */
interface History {
  disk: Disk;
  /** The operations before this one prepared the disk. */
  begin: number;
  /** Makes the check for a power cut after this number of operations. */
  checkAfter(operations: number): Check;
}

/** The broken promises after every power cut that the history allows, without these syncs. */
async function brokenPromises(
  { disk, begin, checkAfter }: History,
  isSkipped: IsSkipped | undefined,
  most: number,
) {
  const { operations, directories } = disk;
  const broken: string[] = [];
  let states = 0;
  for (let count = begin; count <= operations.length && broken.length < most; count++) {
    const check = checkAfter(count);
    for (const tree of crashStates(operations.slice(0, count), directories, isSkipped).values()) {
      states++;
      disk.load(tree);
      await check().catch((error: unknown) =>
        broken.push(`after ${count} operations: ${error}\n${shown(tree)}`),
      );
      if (broken.length >= most) break;
    }
  }
  Object.assign(disk, { operations });
  return { broken, states };
}

/** A disk with the beginnings of its files. */
function shown(tree: Tree): string {
  return JSON.stringify(tree, (_, value) => (typeof value === "string" ? value.slice(0, 100) : value), 2);
}

/** Every power cut keeps the promises, and each sync is needed: without it, a power cut breaks one. */
async function expectDurable(history: History, isNeeded: (path: string) => boolean = () => true) {
  const { operations } = history.disk;
  const { broken, states } = await brokenPromises(history, undefined, 3);
  expect(broken).toEqual([]);
  expect(states).toBeGreaterThan(operations.length - history.begin);
  const syncs = [...operations.entries()].flatMap(([index, each]) =>
    each.kind === "sync" && index >= history.begin && isNeeded(each.path) ? [{ index, path: each.path }] : [],
  );
  const unneeded: string[] = [];
  for (const { index, path } of syncs) {
    const without = await brokenPromises(history, (each) => each === index, 1);
    if (without.broken.length === 0) unneeded.push(`${index}: ${path}`);
  }
  expect(unneeded).toEqual([]);
  return syncs.length;
}

describe("after a power cut, a file journal", () => {
  const PATH = onDisk("data", "journal");
  const intent = (revision: string) => journalEntry("intent", { revision });
  const record = (revision: string) => journalEntry("submitted", { revision });
  const ended = (revision: string) => journalEntry("submitted", { revision, status: "success" });
  type Step = [key: string, entry: JournalEntry | null];
  /** The possible entries of each key. */
  type Entries = Readonly<Record<string, (JournalEntry | null)[]>>;

  /** Writes the entries in turn, and remembers what the journal may hold at each moment. */
  async function recordJournal(disk: Disk, steps: readonly Step[]): Promise<History> {
    const journal = fileJournal(PATH);
    let acknowledged: Entries = Object.fromEntries(steps.map(([key]) => [key, [null]]));
    const moments: Entries[] = [];
    for (const [key, entry] of steps) {
      const [before = null] = acknowledged[key] ?? [];
      const revision = before?.revision ?? null;
      moments.push(acknowledged);
      const isWritten = await (entry === null
        ? journal.delete(key, revision ?? "")
        : journal.put(key, entry, revision));
      expect(isWritten).toBe(true);
      while (moments.length < disk.operations.length)
        moments.push({ ...acknowledged, [key]: [before, entry] });
      acknowledged = { ...acknowledged, [key]: [entry] };
    }
    moments.push(acknowledged);
    return { disk, begin: 0, checkAfter: (count) => () => checkJournal(moments[count] ?? {}) };
  }

  /** Each key has the entry that was acknowledged last or one that was in flight, no other is open, and all can be written. */
  async function checkJournal(allowed: Entries): Promise<void> {
    const journal: Required<Journal> = fileJournal(PATH);
    const open = (await journal.open()).map(({ key }) => key);
    for (const [key, entries] of Object.entries(allowed)) {
      const found = await journal.get(key);
      expect(entries).toContainEqual(found);
      const isOpen = found !== null && !("status" in found && found.status !== undefined);
      expect(open.includes(key)).toBe(isOpen);
      expect(await journal.put(key, record("after"), found?.revision ?? null)).toBe(true);
      expect(await journal.get(key)).toEqual(record("after"));
    }
    expect(open.filter((key) => !(key in allowed))).toEqual([]);
  }

  /** Entries of the orders 1 and 2, one after the other. */
  const histories: [what: string, first: (JournalEntry | null)[], second: (JournalEntry | null)[]][] = [
    ["a song from its intent to its end", [intent("a"), record("b"), ended("c")], []],
    ["a second song", [ended("a")], [intent("a"), record("b")]],
    ["an intent that is taken back, and repeated", [intent("a"), null, intent("b")], []],
  ];

  test.each(histories)("has every acknowledged entry, and needs each sync: %s", async (_, first, second) => {
    const steps = [
      ...first.map((entry): Step => ["order-1", entry]),
      ...second.map((entry): Step => ["order-2", entry]),
    ];
    const history = await recordJournal(mountDisk(), steps);
    // The sync of reserved space reserves it: without it, a full disk fails only after the POST.
    const syncs = await expectDurable(history, (path) => !path.includes(".spare-"));
    expect(syncs).toBeGreaterThanOrEqual(2 * steps.length);
  });
});

describe("after a power cut, `saveAudio`", () => {
  const SONG = "the new song";
  const PIECES = ["the new", " song"].map((text) => new TextEncoder().encode(text));

  async function download() {
    const headers = { "Content-Type": "audio/mpeg" };
    const fetch = async () => new Response(streamOf(PIECES), { headers });
    const client = new AsyncMusic({ apiKey: "key", baseUrl: "https://music.example", fetch });
    return client.audio.download("https://audio.example/1");
  }

  async function writeDurably(path: string, text: string): Promise<void> {
    await writeFile(path, text, { flag: "wx", flush: true });
    const directory = await open(dirname(path), "r");
    await directory.sync();
    await directory.close();
  }

  const contentOf = (path: string) => readFile(path, "utf8").catch(() => undefined);

  const cases: [what: string, names: string[], saved: string, options: SaveAudioOptions, old: boolean][] = [
    ["a new file", [], "rain.mp3", {}, false],
    ["a file in new directories", ["songs", "2026"], "rain.mp3", {}, false],
    ["a file that is replaced", [], "rain.mp3", { overwrite: true }, true],
    ["a file beside an existing one", [], "rain-2.mp3", { unique: true }, true],
  ];

  test.each(cases)(
    "has %s whole or unchanged, and keeps it once it returned",
    async (_, folders, name, options, hasOld) => {
      const disk = mountDisk();
      const old = hasOld ? "the old song" : undefined;
      if (old !== undefined) await writeDurably(onDisk("rain.mp3"), old);
      const begin = disk.operations.length;
      const path = await saveAudio(await download(), onDisk(...folders, "rain"), options);
      expect(path).toBe(onDisk(...folders, name));
      const end = disk.operations.length;
      const before = name === "rain.mp3" ? old : undefined;
      const checkAfter = (count: number) => async () => {
        expect(count === end ? [SONG] : [before, SONG]).toContain(await contentOf(path));
        if (name !== "rain.mp3") expect(await contentOf(onDisk("rain.mp3"))).toBe(old);
      };
      await expectDurable({ disk, begin, checkAfter });
    },
  );
});

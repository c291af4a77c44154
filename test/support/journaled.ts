import { type Journal, type JournalEntry, memoryJournal, type RunOptions, settleOutcome } from "async-music";
import { SONG_REQUEST } from "./responses.js";
import type { TestClock } from "./test-clock.js";
import { type Answerer, createWorld } from "./world.js";

/** The journal key of a test's only order. */
export const KEY = "order-1";

/** The request of another order. */
export const OTHER_REQUEST = { ...SONG_REQUEST, input: { gpt_description_prompt: "sun in Faro" } } as const;

/** The error of a journal that cannot be reached. */
export const away = new Error("the database is away");

/** A method of a journal that cannot be reached. */
export const fail = () => Promise.reject(away);

/** A method of a journal that never responds. */
export const hang = () => new Promise<never>(() => {});

/** Lets so many calls through, and fails those that follow. */
export function failAfter(calls: number, put: Journal["put"], error: Error = away): Journal["put"] {
  let left = calls;
  return (...entry) => (left-- > 0 ? put(...entry) : Promise.reject(error));
}

/** A journal in memory that records its calls. A test may replace its methods by those of `broken`. */
export function createJournalDouble(inner = memoryJournal()) {
  const broken: Partial<Journal> = {};
  const calls: (keyof Journal)[] = [];
  const puts: JournalEntry[] = [];
  const journal: Journal = {
    get(...call) {
      calls.push("get");
      return (broken.get ?? inner.get)(...call);
    },
    put(...call) {
      calls.push("put");
      puts.push(call[1]);
      return (broken.put ?? inner.put)(...call);
    },
    delete(...call) {
      calls.push("delete");
      return (broken.delete ?? inner.delete)(...call);
    },
  };
  return { journal, inner, broken, calls, puts };
}

/**
 * A client whose runs use one key of a journal. `inner` has the entries. With the `inner` of another world, this one is another
 * process: its journal is an object of its own.
 */
export function journaledWorld(
  answer: Answerer,
  { inner, clock }: { inner?: ReturnType<typeof memoryJournal>; clock?: TestClock } = {},
) {
  const double = createJournalDouble(inner);
  const { journal } = double;
  const world = createWorld(answer, clock && { clock });
  return {
    ...world,
    ...double,
    run: (options: RunOptions = {}) =>
      world.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, ...options }),
    runOther: () => world.client.tasks.run(OTHER_REQUEST, { journal, journalKey: KEY }),
    entry: () => double.inner.get(KEY),
    write: (entry: JournalEntry) => double.inner.put(KEY, entry, null),
    settle: (taskId: string | null) => settleOutcome(journal, KEY, taskId),
  };
}

import { type Journal, memoryBudget, memoryJournal, type TaskRequest } from "async-music";
import { describe, expect, test } from "vitest";
import { batchWorld, CHEAP, errorsOf, promptKey, song } from "../support/batch-world.js";
import { all } from "../support/collect.js";
import { posts } from "../support/journals.js";
import { turns } from "../support/test-clock.js";

/** The prompts of the requests, in seconds: how long their tasks take. */
const PROMPTS = ["1", "2", "3"];

const emptyRequest = () => ({
  model: "provider_a" as const,
  task_type: "music" as const,
  input: { gpt_description_prompt: "" },
});

/** Yields one object again and again, as a cursor of a database does. */
function* cursor() {
  const request = emptyRequest();
  for (const prompt of PROMPTS) {
    request.input.gpt_description_prompt = prompt;
    yield request;
  }
}

async function* slowCursor() {
  for (const request of cursor()) {
    yield request;
    await turns(3);
  }
}

/** A journal whose reads take a while. */
function slowJournal(): Journal {
  const journal = memoryJournal();
  return {
    ...journal,
    async get(key) {
      await turns(5);
      return journal.get(key);
    },
  };
}

const sentPrompts = (world: Parameters<typeof posts>[0]) =>
  posts(world).map(({ body }) => JSON.parse(body).input.gpt_description_prompt);

describe("a source that changes the request that it yielded", () => {
  const sources = { "a generator": cursor, "an asynchronous generator": slowCursor };
  const options = {
    "no other option": () => ({}),
    "a single run at a time": () => ({ concurrency: 1 }),
    maxCredits: () => ({ maxCredits: 100 }),
    "a journal": () => ({ journal: slowJournal(), journalKey: promptKey }),
    "a journal and maxCredits": () => ({ journal: slowJournal(), journalKey: promptKey, maxCredits: 100 }),
    "a budget": () => ({ tenant: promptKey, budget: memoryBudget({ maxCredits: 10, per: "day" }) }),
  };

  for (const [source, yielded] of Object.entries(sources))
    test.each(Object.entries(options))(`each request of ${source} is sent once, with %s`, async (_, of) => {
      const world = batchWorld();
      const results = await all(world.client.tasks.runAll<TaskRequest>(yielded(), of()));
      expect(errorsOf(results)).toEqual([undefined, undefined, undefined]);
      expect(sentPrompts(world)).toEqual(PROMPTS);
    });

  test("the journal has each request under its own key", async () => {
    const journal = slowJournal();
    await all(
      batchWorld().client.tasks.runAll(slowCursor(), { journal, journalKey: promptKey, maxCredits: 100 }),
    );
    for (const prompt of PROMPTS)
      expect(await journal.get(prompt)).toMatchObject({
        request: { input: { gpt_description_prompt: prompt } },
      });
  });

  test.each([1, 2, 10])("maxCredits holds, with concurrency %i", async (concurrency) => {
    function* dearer() {
      const request: TaskRequest = { ...CHEAP };
      yield request;
      Object.assign(request, song("1"));
    }
    const world = batchWorld();
    await all(world.client.tasks.runAll(dearer(), { maxCredits: 5, concurrency }));
    expect(posts(world).map(({ body }) => JSON.parse(body).model)).toEqual(["provider_b"]);
  });

  test("maxCredits counts the price of the request that is sent, whatever a getter returns later", async () => {
    let reads = 0;
    const request = {
      get model() {
        return reads++ === 0 ? "provider_b" : "provider_a";
      },
      task_type: "music",
      input: { prompt: "folk" },
    } as unknown as TaskRequest;
    const world = batchWorld();
    await world.runAll([request], { maxCredits: 5 });
    expect(posts(world).map(({ body }) => JSON.parse(body).model)).toEqual(["provider_b"]);
  });
});

test("the result has the request as it was given, not a copy", async () => {
  const request = { ...emptyRequest(), input: { gpt_description_prompt: "1" } };
  const [result] = await batchWorld().runAll([request], { maxCredits: 10 });
  expect(result?.request).toBe(request);
});

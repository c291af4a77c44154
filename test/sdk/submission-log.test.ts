import { expect } from "vitest";
import { test } from "../../emulator/vitest.js";
import { AsyncMusic, memoryJournal, type TaskRequest } from "../../src/index.js";
import { createLog } from "../support/log.js";

// What the log says about an order: one line when its create ends.

const song = {
  model: "provider_b",
  task_type: "music",
  input: { prompt: "slow folk" },
} as const satisfies TaskRequest;
const ofSong = { model: "provider_b", taskType: "music" };
const ofNoOrder = { tenant: null, journalKey: null };

test("the end of each create is one line, which names the order, the customer and the task", async ({
  emulator,
}) => {
  const log = createLog();
  const client = new AsyncMusic({ ...emulator.connection(), logger: log, logLevel: "info" });
  const order = { tenant: "acme", journal: memoryJournal(), journalKey: "order-1", probe: true };

  const { task_id: taskId } = await client.tasks.run(song, order);
  await client.tasks.run(song, order); // as after a restart: nothing is created
  const { task_id: plainId } = await client.tasks.create(song);
  const broken = { kind: "disconnect", when: "after" } as const;
  emulator.faults.add({ method: "POST", fault: broken });
  const input = { prompt: "lost" };
  const lost = { ...order, journalKey: "order-2" };
  await client.tasks.run({ ...song, input }, lost).catch(() => {});
  emulator.accounts.update(emulator.accounts.list()[0]?.account_id ?? "", { suspended: true });
  await client.tasks.create(song).catch(() => {});

  const created = { ...ofSong, outcome: "created", credits: 5, error: null };
  const other = { ...ofSong, taskId: null, credits: null };
  expect(log.lines.filter(({ fields }) => fields !== undefined && "outcome" in fields)).toEqual([
    {
      level: "info",
      message: `created task ${taskId}`,
      fields: { ...created, tenant: "acme", journalKey: "order-1", taskId },
    },
    {
      level: "info",
      message: `created task ${plainId}`,
      fields: { ...created, ...ofNoOrder, taskId: plainId },
    },
    {
      level: "info",
      message: "may have created a task",
      fields: {
        ...{ ...other, outcome: "unknown", tenant: "acme", journalKey: "order-2" },
        error: expect.stringMatching(/^Failed to create a task: the outcome is unknown/),
      },
    },
    {
      level: "info",
      message: "created no task",
      fields: {
        ...{ ...other, ...ofNoOrder, outcome: "not_created" },
        error: expect.stringContaining("account_suspended"),
      },
    },
  ]);
  expect(JSON.stringify(log.lines)).not.toContain(emulator.apiKey);
});

test("the line of an aborted create has the reason without the API key", async ({ emulator }) => {
  const log = createLog();
  const client = new AsyncMusic({ ...emulator.connection(), logger: log, logLevel: "info" });
  for (const reason of [new Error(`left with ${emulator.apiKey}`), `left with ${emulator.apiKey}`])
    await client.tasks.create(song, { signal: AbortSignal.abort(reason) }).catch(() => {});
  expect(log.lines.map(({ fields }) => fields)).toMatchObject([
    { error: "left with [redacted]" },
    { error: "left with [redacted]" },
  ]);
});

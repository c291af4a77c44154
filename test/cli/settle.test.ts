import { expect, test } from "vitest";
import { AsyncMusic, type TaskRequest } from "../../src/index.js";
import { fileJournal } from "../../src/node/index.js";
import { createTerminal, useTerminal } from "./support/terminal.js";

const UNKNOWN_ID = "0b9f3c2e-6a4d-4f3b-9a51-2f0c8b6d7e10";

const its = useTerminal();

const RUN = ["run", "lyrics", "--prompt", "sea", "--no-download"];
const keyed = (...args: string[]) => [...args, "--journal", its.journal, "--key", "sea"];
const settle = (...flags: string[]) => ["settle", "sea", "--journal", its.journal, ...flags];
const entry = () => fileJournal(its.journal).get("sea");
const submit = async (request: TaskRequest) =>
  (await new AsyncMusic(its.emulator.connection()).tasks.create(request)).task_id;
const lyrics = (prompt: string) => submit({ model: "provider_a", task_type: "lyrics", input: { prompt } });

/** Loses the response to the POST of a run. Returns a terminal and the id of the task. */
async function loseResponse() {
  its.emulator.faults.add({
    method: "POST",
    path: "/api/v1/task",
    fault: { kind: "disconnect", when: "after" },
  });
  expect((await its.run(...keyed(...RUN))).status).toBe(9);
  const taskId = its.emulator.accounts.get(its.emulator.accountId).ledger.at(-1)?.task_id ?? "";
  return { ...its, taskId };
}

test.each(["", "found", "clip-1", `${UNKNOWN_ID}0`])(
  "--task-id %j is not a UUID: status 2, and nothing changes",
  async (taskId) => {
    const { run } = await loseResponse();
    const before = await entry();
    const { status, stderr } = await run(...settle("--task-id", taskId));
    expect([status, stderr]).toEqual([2, expect.stringContaining("which is a UUID")]);
    expect(await entry()).toEqual(before);
  },
);

test("the task is read once from the service; if it does not exist, the status is 6 and nothing changes", async () => {
  const { run, taskId } = await loseResponse();
  const before = await entry();
  const { status, stderr } = await run(...settle("--task-id", UNKNOWN_ID));
  expect([status, stderr]).toEqual([6, expect.stringContaining("task_not_found")]);
  expect(stderr).not.toContain("client.tasks");
  expect(await entry()).toEqual(before);

  const requests = its.emulator.requests.length;
  expect(await run(...settle("--task-id", taskId))).toMatchObject({ status: 0, stderr: "" });
  expect(its.emulator.requests.slice(requests).map(({ method, path: at }) => `${method} ${at}`)).toEqual([
    `GET /api/v1/task/${taskId}`,
  ]);
});

test("a task of another type than the key's request is status 2, and nothing changes", async () => {
  const { run } = await loseResponse();
  const before = await entry();
  const song = await submit({ model: "provider_b", task_type: "music", input: { prompt: "folk" } });
  const { status, stderr } = await run(...settle("--task-id", song));
  expect([status, stderr]).toEqual([2, expect.stringContaining("is provider_b music")]);
  expect(await entry()).toEqual(before);
});

test("with --offline nothing is sent, and no API key is needed", async () => {
  await loseResponse();
  const { run } = createTerminal(its.emulator, {
    env: { ASYNC_MUSIC_API_KEY: "", ASYNC_MUSIC_BASE_URL: "" },
  });
  const requests = its.emulator.requests.length;
  expect((await run(...settle("--task-id", UNKNOWN_ID))).stderr).toContain("ASYNC_MUSIC_API_KEY");
  expect((await run(...settle("--task-id", UNKNOWN_ID, "--offline"))).stdout).toBe(
    `sea has task ${UNKNOWN_ID}\n`,
  );
  expect((await run(...settle("--not-created"))).stdout).toBe("sea is free\n");
  expect((await run(...settle("--task-id", UNKNOWN_ID, "--offline"))).stdout).toBe(
    `sea has task ${UNKNOWN_ID}\n`,
  );
  expect(its.emulator.requests).toHaveLength(requests);
});

test("a key that was settled with a wrong task is corrected, and the run continues with the right one", async () => {
  const { run, bodies, taskId } = await loseResponse();
  const wrong = await lyrics("another");
  await run(...settle("--task-id", wrong));
  expect(await run(...settle("--task-id", taskId, "--json"))).toMatchObject({
    status: 0,
    stdout: `${JSON.stringify({ key: "sea", task_id: taskId }, null, 2)}\n`,
  });
  const { stdout } = await run(...keyed(...RUN), "--json");
  expect(JSON.parse(stdout).task.task_id).toBe(taskId);
  expect(bodies).toHaveLength(1);
});

test("a task that the service returned for the key is never replaced: status 2", async () => {
  await its.run(...keyed(...RUN));
  const before = await entry();
  const other = await lyrics("another");
  for (const finding of [["--task-id", other], ["--not-created"]]) {
    const { status, stdout, stderr } = await its.run(...settle(...finding, "--json"));
    expect([status, JSON.parse(stdout).error.name]).toEqual([2, "UsageError"]);
    expect(stderr).toContain("which the service returned for this key");
  }
  expect(await entry()).toEqual(before);
});

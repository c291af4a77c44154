import type * as sdk from "async-music";
import type { Emulator } from "async-music/emulator";
import type { App } from "async-music/emulator/worlds";
import { redisPacer } from "async-music/redis";
import { test } from "vitest";
import { assertTrue, type Equals, given } from "./support.js";

// Code of an application that returns what it has called: the SDK ignores the value, or only awaits it.

interface Message {
  edit(text: string): Promise<Message>;
}

const message = given<Message>();
const pool = given<{ query(sql: string, values: unknown[]): Promise<{ rowCount: number }> }>();
const seen: unknown[] = [];
const client = given<sdk.AsyncMusic>();
const request = given<sdk.TaskRequest>();

const options: sdk.RunOptions = {
  onUpdate: (task) => message.edit(task.status),
  onSubmitted: ({ task_id }) => pool.query("UPDATE orders SET task = $1", [task_id]),
  onUnrecorded: (error) => seen.push(error.taskId),
};

test("a callback of a run may return anything", () => {
  void client.tasks.run(request, options);
  void client.tasks.run(request, { onUpdate: (task) => seen.push(task.status) });
  void client.tasks.run(request, { onUpdate: (task) => task.task_id && message.edit(task.status) });
  void client.tasks.wait("id", { onUpdate: (task) => message.edit(task.status) });
  client.tasks.watch("id", { onUpdate: (task) => (task.output ? message.edit("") : undefined) });
  void client.tasks.create(request, { onSubmitted: (submission) => seen.push(submission) });
});

test("a callback of a batch may return anything", () => {
  client.tasks.runAll([request], {
    onUpdate: (task, index) => message.edit(`${index}: ${task.status}`),
    onSubmitted: ({ task_id }, index) => pool.query("", [task_id, index]),
    onProgress: ({ succeeded }) => message.edit(`${succeeded}`),
    onUnrecorded: ({ taskId }) => pool.query("", [taskId]),
  });
});

test("a listener may return anything", () => {
  client.on("retry", ({ waitMs }) => seen.push(waitMs));
  client.on("completion", ({ task }) => message.edit(task.status));
  const listener: sdk.Listener<"task"> = ({ task }) => pool.query("", [task.task_id]);
  client.on("task", listener);
  given<Emulator>().onRequest(({ path }) => seen.push(path));
  redisPacer(given(), { onUnavailable: (error) => seen.push(error) });
});

test("a program in a simulated world may return anything", () => {
  const app: App = {
    start: ({ orders }) => Promise.all(orders.map(({ id }) => message.edit(id))),
    check: ({ orders }) => orders.map(({ id }) => id),
  };
  assertTrue<Equals<typeof app, App>>();
});

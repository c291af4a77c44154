/** How fast the emulator is, held against what is promised. Run it by `npm run bench`, which builds first. */

import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createEmulator } from "async-music/emulator";
import { askFor, bytesClient, type Client, nodeClient, type Question } from "./ask.ts";

const SONG = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
};
const TASK = "/api/v1/task";
const ROUNDS = 7;
const ROUND_MS = 400;

const results = [await measureStart(), await measureInProcess(), ...(await measureOnPort())];
console.table(results.map(({ ok, ...result }) => ({ ...result, kept: ok ? "yes" : "NO" })));
if (results.some(({ ok }) => !ok)) process.exitCode = 1;

interface Result {
  measure: string;
  value: string;
  promise: string;
  ok: boolean;
}

/** From the start of the command to the answer to a first request. */
async function measureStart(): Promise<Result> {
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const child = spawn(process.execPath, ["dist/cli.js", "emulator", "--port", "0", "--json"]);
    const [line] = await once(child.stdout, "data");
    const { url, api_key: apiKey } = JSON.parse(String(line));
    await (await fetch(`${url}/api/v1/account/balance`, { headers: { "x-api-key": apiKey } })).json();
    seconds.push((performance.now() - began) / 1000);
    child.kill();
    await once(child, "exit");
  }
  const value = median(seconds);
  return {
    measure: "start to answer",
    value: `${value.toFixed(3)} s`,
    promise: "< 0.25 s",
    ok: value < 0.25,
  };
}

/** Reads of a task by `emulator.fetch`, one after the other. */
async function measureInProcess(): Promise<Result> {
  const emulator = createEmulator({ limits: { requests: 1e9 } });
  const headers = { "x-api-key": emulator.apiKey };
  const body = JSON.stringify(SONG);
  const created = await emulator.fetch(emulator.url + TASK, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body,
  });
  const url = `${emulator.url}${TASK}/${(await created.json()).data.task_id}`;
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    let count = 0;
    for (; performance.now() - began < ROUND_MS; count++)
      await (await emulator.fetch(url, { headers })).text();
    rates.push((count * 1000) / (performance.now() - began));
  }
  const value = Math.round(median(rates));
  return { measure: "reads in process", value: `${value} / s`, promise: "> 20000 / s", ok: value > 20_000 };
}

/** Reads and creates on a port, each as a part of what a bare server of Node's answers; the rounds take turns. */
async function measureOnPort(): Promise<Result[]> {
  const servers = [await startServer("emulator"), await startServer("bare")] as const;
  const [{ url, apiKey }] = servers;
  const create = question("POST", TASK, apiKey, JSON.stringify(SONG));
  const answer = await fetch(url + TASK, create);
  const read = question("GET", `${TASK}/${(await answer.json()).data.task_id}`, apiKey);
  const results = [
    await compare("reads on a port", 0.6, nodeClient, servers, read),
    await compare("creates on a port", 0.5, nodeClient, servers, create),
    await compare("reads on a port, the server alone", null, bytesClient, servers, read),
    await compare("creates on a port, the server alone", null, bytesClient, servers, create),
  ];
  for (const { child } of servers) child.kill();
  return results;
}

async function compare(
  measure: string,
  least: number | null,
  client: Client,
  [emulator, bare]: readonly [Server, Server],
  asked: Question,
): Promise<Result> {
  const rates: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const ours = await askFor(ROUND_MS, client, emulator.url, asked);
    rates.push({ ours, bare: await askFor(ROUND_MS, client, bare.url, asked) });
  }
  const [, ...warm] = rates;
  const [ours, theirs] = [median(warm.map((rate) => rate.ours)), median(warm.map((rate) => rate.bare))];
  const value = `${(ours / theirs).toFixed(2)} (${Math.round(ours)} of ${Math.round(theirs)} / s)`;
  const promise = least === null ? "none" : `>= ${least} of bare Node`;
  return { measure, value, promise, ok: ours / theirs >= (least ?? 0) };
}

function question(method: string, path: string, apiKey: string, body?: string): Question {
  const content =
    body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": `${body.length}` };
  return { method, path, headers: { "x-api-key": apiKey, ...content }, body: body ?? "" };
}

interface Server {
  child: ChildProcess;
  url: string;
  apiKey: string;
}

async function startServer(kind: string): Promise<Server> {
  const child = fork(new URL("server.ts", import.meta.url), [kind]);
  const [{ url, apiKey }] = await once(child, "message");
  return { child, url, apiKey };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

import { expect, test } from "vitest";
import { certifyClient } from "../../cli/certify/certification.js";
import type { Client } from "../../cli/certify/client.js";
import { TOPICS } from "../../cli/certify/topics.js";
import { type Flaw, flawedClient } from "./support/flawed-client.js";
import { sdkClient } from "./support/sdk-client.js";

const NAMES = TOPICS.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));

/** For each scenario, what a client does wrong that fails it. */
const FLAWS: readonly [flaw: Flaw, ...names: string[]][] = [
  ["saves nothing", "song"],
  ["sends unsafe request IDs", "request-headers"],
  [
    "repeats a POST after errors",
    "create-lost-response",
    "create-broken-connection",
    "create-502",
    "create-500",
    "create-gateway-page",
    "create-cut-response",
  ],
  ["repeats a refused POST", "create-408", "create-400"],
  ["polls twice a second", "poll-interval", "poll-pace"],
  ["polls every 2 seconds", "poll-pace"],
  ["needs an output", "queued-song", "null-fields"],
  ["needs a progress", "null-fields"],
  [
    "gives up at failed polls",
    "read-500",
    "read-broken-connection",
    "read-cut-response",
    "read-gateway-page",
  ],
  ["guesses the wait after a 429", "create-429-wait", "create-429-twice", "read-429"],
  ["remembers the first wait", "create-429-twice"],
  ["gives up at a 429", "create-429-song", "read-429"],
  ["needs X-RateLimit-Remaining", "no-remaining-header"],
  ["waits 5 seconds for a response", "create-slow-response"],
  ["makes another task at once", "failure-moderation", "failure-wait"],
  ["believes the prose", "failure-prose"],
  ["knows the permanent codes", "failure-unknown-code"],
  ["succeeds without a song", "task-timeout", "failure-retryable", "audio-no-clips"],
  ["is silent", "failure-report"],
  ["names files mp3", "audio-format"],
  ["names files wav", "audio-provider-format"],
  ["names files by their URL", "audio-url-extension"],
  ["does not check downloads", "audio-500", "audio-cut", "audio-404"],
  ["pays again for expired audio", "audio-404"],
  ["does not read again", "audio-403"],
  ["sends the key with downloads", "audio-provider"],
  ["needs two clips", "audio-clips"],
  ["knows all fields", "new-clip-fields"],
  ["needs a title", "no-title"],
  ["names files by their title", "title-characters"],
  ["knows all statuses", "unknown-status"],
  [
    "retries 4xx",
    "create-408",
    "create-400",
    "invalid-key",
    "key-deleted",
    "insufficient-credits",
    "suspended-account",
    "task-not-found",
  ],
  ["prints its key", "key-secrecy"],
];

/** The scenarios that a client fails. */
async function failuresOf(client: Client, names: readonly string[]) {
  const topics = TOPICS.map(({ title, scenarios }) => ({
    title,
    scenarios: scenarios.filter(({ name }) => names.includes(name)),
  }));
  const verdicts = await certifyClient(client, topics, {
    clock: "virtual",
    concurrency: 4,
    timeoutMs: 300_000,
    signal: new AbortController().signal,
  });
  return verdicts.filter(({ result }) => result !== "passed");
}

async function failedBy(client: Client, names: readonly string[]): Promise<string[]> {
  return (await failuresOf(client, names)).map(({ scenario: { name } }) => name);
}

test("this SDK passes all scenarios", async () => {
  const failed = await failuresOf(sdkClient, NAMES);
  expect(failed.map(({ scenario, misstep }) => [scenario.name, misstep?.happened])).toEqual([]);
});

test("a client without a flaw passes all scenarios", async () => {
  expect(await failedBy(flawedClient(), NAMES)).toEqual([]);
});

test("a read after the end of a task is no poll", async () => {
  expect(await failedBy(flawedClient("reads a song again after its end"), ["poll-pace"])).toEqual([]);
});

test.each(FLAWS.flatMap(([flaw, ...names]) => names.map((name) => [flaw, name] as const)))(
  "a client that %s fails %s",
  async (flaw, name) => {
    expect(await failedBy(flawedClient(flaw), [name])).toEqual([name]);
  },
);

test("each scenario has a flaw that fails it, and a name of its own", () => {
  const failed = new Set(FLAWS.flatMap(([, ...names]) => names));
  expect([...failed].sort()).toEqual([...NAMES].sort());
});

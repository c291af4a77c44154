import { join } from "node:path";
import { AsyncMusic, type OrderDelivery } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { fileJournal } from "async-music/node";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import type { CallTimer } from "../../cli/mcp/calls.js";
import { seedsFrom, shares } from "../support/futures.js";
import { connectMcp } from "./support/mcp.js";
import { createFolder, createTerminal } from "./support/terminal.js";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;

/** What goes on in each version: most songs succeed, some fail, some are refused. */
function play(seed: number): Emulator {
  const emulator = createEmulator({ seed, future: seed, credits: 100 });
  if (seed % 4 === 1) emulator.providers.provider_a.next({ outcome: "failure" });
  if (seed % 4 === 2) emulator.accounts.update(emulator.accountId, { suspended: true });
  return emulator;
}

/** The task in the words of today; `undefined` if none was created. */
const taskOf = (emulator: Emulator) => emulator.state().tasks[0];
const isCharged = (emulator: Emulator) => taskOf(emulator)?.status === "success";

/** A crash of the program, as opposed to a refusal or a failure that it explains. */
const CRASH = /TypeError|RangeError|SyntaxError|undefined|\[object|Unexpected token|\n {4}at /;

test.each(shares)(
  "the command line says what happened, with the version %i and those after it",
  async (first) => {
    for (const seed of seedsFrom(first)) {
      await using emulator = play(seed);
      const { status, stdout, stderr } = await createTerminal(emulator).song("--no-download", "--json");
      const seen = `version ${seed}: status ${status}\n${stdout}${stderr}`;
      expect(status === 0, seen).toBe(isCharged(emulator));
      // A refusal, a failure, or an end that was not seen.
      if (status !== 0) expect([1, 4, 10, 12], seen).toContain(status);
      if (status !== 0) expect(stderr, seen).toMatch(/^async-music: .*\S/m);
      expect(stderr, seen).not.toMatch(CRASH);
      if (status === 0) expect(JSON.parse(stdout).task.task_id, seen).toBe(taskOf(emulator)?.task_id);
      expect(emulator.audit(), seen).toEqual([]);
    }
  },
);

test.each(shares)(
  "the agent server says what happened, with the version %i and those after it",
  async (first) => {
    for (const seed of seedsFrom(first)) {
      await using emulator = play(seed);
      const folder = await createFolder();
      const untilLater: CallTimer = async (ms, signal) => {
        const end = emulator.clock.now() + ms;
        while (emulator.clock.now() < end && !signal?.aborted)
          await new Promise((resolve) => setTimeout(resolve, 1));
      };
      const its = { emulator, folder, journal: join(folder, "journal") };
      const { call, end } = await connectMcp(its, {}, { sleep: untilLater });
      let result = await call("make_song", { order: "rain", description: "rain in Lisbon" });
      for (let checks = 0; !result.isError && result.data.status !== "success" && checks < 100; checks++)
        result = await call("check_order", { order: "rain" });
      const seen = `version ${seed}: ${result.text}`;
      expect(!result.isError && result.data.status === "success", seen).toBe(isCharged(emulator));
      expect(result.text, seen).not.toMatch(CRASH);
      expect(emulator.audit(), seen).toEqual([]);
      await end();
    }
  },
);

test.each(shares)(
  "the relay posts how each order ended, with the version %i and those after it",
  async (first) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      for (const seed of seedsFrom(first)) await relayOne(seed);
    } finally {
      vi.useRealTimers();
    }
  },
);

async function relayOne(seed: number): Promise<void> {
  await using emulator = play(seed % 4 === 2 ? seed + 1_000_000_001 : seed);
  const folder = await createFolder();
  const journal = join(folder, "journal");
  const client = new AsyncMusic(emulator.connection());
  const request = {
    model: "provider_a",
    task_type: "music",
    input: { gpt_description_prompt: "rain" },
  } as const;
  await client.tasks.create(request, { journal: fileJournal(journal), journalKey: "rain" });
  const posts: { type: string; data: OrderDelivery }[] = [];
  const { fetch, ...rest } = emulator.connection();
  const routed: typeof globalThis.fetch = async (input, init) => {
    const sent = new Request(input, init);
    if (new URL(sent.url).host !== "shop.example") return fetch(sent);
    vi.setSystemTime(emulator.clock.now());
    posts.push(new Webhook(SECRET).verify(await sent.text(), Object.fromEntries(sent.headers)) as never);
    return new Response("ok");
  };
  const terminal = createTerminal(
    { connection: () => ({ ...rest, fetch: routed }) },
    { env: { ASYNC_MUSIC_WEBHOOK_SECRET: SECRET } },
  );
  const ended = terminal.run("relay", "--journal", journal, "--webhook", "https://shop.example/songs");
  // Its code is loaded in real time.
  while (terminal.listeners.size === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const hasUnknownEnd = emulator.future.some(({ name }) => name === "final_status");
  // Of a failure with an unknown status, nothing is posted until the wait ends.
  const minutes = hasUnknownEnd && seed % 4 === 1 ? 5 : 90;
  for (let minute = 0; minute < minutes && posts.length === 0; minute++) {
    await emulator.clock.advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  terminal.signal("SIGTERM");
  const { stderr } = await ended;
  const seen = `version ${seed}: ${JSON.stringify(posts)}\n${stderr}`;
  expect(stderr, seen).not.toMatch(CRASH);
  const type = isCharged(emulator) ? "order.succeeded" : "order.failed";
  if (isCharged(emulator) || !hasUnknownEnd)
    expect(
      posts.map((post) => post.type),
      seen,
    ).toEqual([type]);
  expect(posts.length, seen).toBeLessThan(2);
}

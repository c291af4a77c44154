import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { AsyncMusic, type Journal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished } from "vitest";
import { listenOn } from "./loopback.js";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;

/** A shop on loopback: it accepts most posts, refuses some, and takes a while for others. Lists the posts by their IDs. */
async function startShop() {
  const keys = new Map<string, Set<string>>();
  let posts = 0;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const count = posts++;
    const id = String(request.headers["webhook-id"]);
    if (count % 7 === 3) response.writeHead(503).end();
    else {
      // The relay may be killed between this note and the response.
      keys.set(id, (keys.get(id) ?? new Set()).add(JSON.parse(text).data.key));
      await setTimeout((count % 4) * 10);
      response.end();
    }
  });
  const { url } = await listenOn(server);
  return { keys, url: `${url}/songs`, posts: () => posts };
}

/**
 * Kills two relays of one journal again and again while orders are submitted, and lets two others finish. Checks that each end
 * was delivered, that none is left, and that duplicates have one ID.
 *
 * @param start - begins a relay, and resolves with it once it works
 */
export async function killRelays(
  journal: Required<Journal>,
  kills: number,
  start: (parameters: string[]) => Promise<ChildProcess>,
): Promise<void> {
  await using emulator = createEmulator({ clock: "real", credits: 100_000, limits: { requests: 1_000_000 } });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 0.3 });
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  const shop = await startShop();
  const epoch = String(Date.now());
  const relayOf = () => start([url, emulator.apiKey, shop.url, SECRET, epoch]);

  const client = new AsyncMusic(emulator.connection());
  const orders = new Map<string, string>();
  const submit = async () => {
    const journalKey = `order-${orders.size}`;
    const request = { model: "provider_a", task_type: "lyrics", input: { prompt: journalKey } } as const;
    orders.set(journalKey, "");
    const { task_id } = await client.tasks.create(request, { journal, journalKey });
    orders.set(journalKey, task_id);
  };

  let killed = 0;
  while (killed < kills) {
    await Promise.all([submit(), submit()]);
    const relays = await Promise.all([relayOf(), relayOf()]);
    for (const [index, child] of relays.entries()) {
      await setTimeout(((killed * 37) % 150) * (1 - index));
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      expect((await ended)[1]).toBe("SIGKILL");
      killed++;
    }
  }
  const last = await Promise.all([relayOf(), relayOf()]);
  for (let tries = 0; (await journal.unacknowledged()).length > 0; tries++) {
    if (tries === 1200) throw new Error(`Not delivered: ${JSON.stringify(await journal.unacknowledged())}`);
    await setTimeout(50);
  }
  for (const child of last) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  }

  const delivered = [...shop.keys].map(([id, keys]) => [id, [...keys]]);
  expect(delivered.sort()).toEqual([...orders].map(([key, taskId]) => [`msg_${taskId}`, [key]]).sort());
  for (const key of orders.keys())
    expect(await journal.get(key)).toMatchObject({ status: "success", acknowledged: true });
  expect(await journal.open()).toEqual([]);
  expect(emulator.state().tasks).toHaveLength(orders.size);
  expect(shop.posts()).toBeGreaterThan(orders.size);
}

/** Runs a relay from the sources. */
export const RELAY_SOURCES = ["--import", "./tools/loader/run-sources.ts", "test/kill/run-relay.ts"];

/** Starts a relay: a script with these parameters. It is killed when the test ends. Resolves when it begins to work. */
export async function startRelay(script: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, script, { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stderr, "data");
  child.stderr.resume();
  return child;
}

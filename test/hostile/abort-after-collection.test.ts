import { EventEmitter, once } from "node:events";
import { AsyncMusic } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { all } from "../support/collect.js";
import { collectGarbage } from "../support/collect-garbage.js";
import { connect } from "../support/connect.js";
import { listen } from "../support/loopback.js";
import { reasonOf } from "../support/rejection.js";
import { SONG_REQUEST } from "../support/responses.js";
import { ROUTES } from "./sent-once.js";

// An abort ends its request, whatever was garbage-collected between the caller's signal and the connection.

const REASON = new Error("left");

/** Aborts after a collection, when the work is `ready`. Resolves with the reason of its rejection. */
async function abortLate(
  begin: (signal: AbortSignal) => PromiseLike<unknown>,
  ready: Promise<unknown> = Promise.resolve(),
): Promise<unknown> {
  const controller = new AbortController();
  const reason = reasonOf(begin(controller.signal));
  await ready;
  await collectGarbage();
  controller.abort(REASON);
  return reason;
}

describe("the SDK", () => {
  describe.each(ROUTES)("ends the connection, with %s", (_, fetch) => {
    test.each<[name: string, call: (client: AsyncMusic, signal: AbortSignal) => Promise<unknown>]>([
      ["a read", (client, signal) => client.account.balance({ signal: AbortSignal.any([signal]) })],
      ["a download", (client, signal) => client.audio.download(`${client.baseUrl}/song.wav`, { signal })],
    ])("of %s", async (_, call) => {
      const events = new EventEmitter();
      const [arrived, closed] = [once(events, "arrived"), once(events, "closed")];
      const server = await listen((to) => {
        to.once("close", () => events.emit("closed"));
        events.emit("arrived");
      });
      const { client } = connect(server, fetch === undefined ? {} : { fetch });
      await abortLate((signal) => call(client, signal), arrived);
      await closed;
    });
  });

  test("aborts the signal of the Request that a custom fetch received", async () => {
    const aborted = new EventEmitter();
    const reason = once(aborted, "abort");
    const fetch = ({ signal }: Request) =>
      new Promise<Response>(() =>
        signal.addEventListener("abort", () => aborted.emit("abort", signal.reason)),
      );
    const { client } = connect({ url: "http://music.example" }, { fetch: fetch as typeof globalThis.fetch });
    await abortLate((signal) => client.account.balance({ signal }));
    expect(await reason).toEqual([REASON]);
  });

  test.each<[name: string, follow: (client: AsyncMusic, signal: AbortSignal) => Promise<unknown>]>([
    ["wait", async ({ tasks }, signal) => tasks.wait(await tasks.create(SONG_REQUEST), { signal })],
    ["run", ({ tasks }, signal) => tasks.run(SONG_REQUEST, { signal })],
    ["watch", async ({ tasks }, signal) => all(tasks.watch(await tasks.create(SONG_REQUEST), { signal }))],
    ["runAll", ({ tasks }, signal) => all(tasks.runAll([SONG_REQUEST], { signal }))],
  ])("ends a %s that sleeps", async (_, follow) => {
    const emulator = open({ clock: "real" });
    const client = new AsyncMusic(emulator.connection());
    expect(await abortLate((signal) => follow(client, AbortSignal.any([signal])))).toBe(REASON);
  });
});

describe("the emulator", () => {
  type Send = (emulator: Emulator, url: string, signal: AbortSignal) => Promise<Response>;
  const WAYS: [name: string, send: Send][] = [
    ["an address and a signal", ({ fetch, apiKey }, url, signal) => fetch(url, init(apiKey, signal))],
    ["a Request", ({ fetch, apiKey }, url, signal) => fetch(new Request(url, init(apiKey, signal)))],
    [
      "a Request and another signal",
      ({ fetch, apiKey }, url, signal) => fetch(new Request(url, init(apiKey)), { signal }),
    ],
    [
      "a Request and other headers",
      ({ fetch, apiKey }, url, signal) => fetch(new Request(url, init(apiKey, signal)), init(apiKey)),
    ],
  ];

  test.each(WAYS)("ends a stalled request that was sent with %s", async (_, send) => {
    const emulator = open();
    emulator.faults.add({ fault: { kind: "stall" } });
    const url = `${emulator.url}/api/v1/account/balance`;
    expect(await abortLate((signal) => send(emulator, url, signal))).toBe(REASON);
  });

  test("ends a file that is being read", async () => {
    const emulator = open();
    const { output } = await new AsyncMusic(emulator.connection()).tasks.run(SONG_REQUEST);
    const url = output.result[0]?.audio_url ?? "";
    const reason = await abortLate(async (signal) => {
      const { body } = await emulator.fetch(url, init(emulator.apiKey, signal));
      await collectGarbage();
      if (!signal.aborted) await once(signal, "abort");
      return new Response(body).arrayBuffer();
    });
    expect(reason).toBe(REASON);
  });

  test("ends a delayed request", async () => {
    const emulator = open({ clock: "real" });
    emulator.faults.add({ fault: { kind: "latency", ms: 3_600_000 } });
    const url = `${emulator.url}/api/v1/account/balance`;
    const reason = await abortLate((signal) => emulator.fetch(url, init(emulator.apiKey, signal)));
    expect(reason).toBe(REASON);
  });

  test("ends a stalled request through MSW", async () => {
    const emulator = open();
    const server = setupServer(...emulatorHandlers(emulator));
    server.listen();
    onTestFinished(() => server.close());
    emulator.faults.add({ fault: { kind: "stall" } });
    const reason = await abortLate((signal) =>
      fetch(`${emulator.url}/api/v1/account/balance`, init(emulator.apiKey, signal)),
    );
    expect(reason).toBe(REASON);
  });
});

function init(apiKey: string, signal?: AbortSignal): RequestInit {
  return { headers: { "x-api-key": apiKey }, ...(signal === undefined ? {} : { signal }) };
}

function open(options: Parameters<typeof createEmulator>[0] = {}): Emulator {
  const emulator = createEmulator(options);
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  return emulator;
}

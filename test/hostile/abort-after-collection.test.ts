import { AsyncMusic } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { SONG_REQUEST } from "../support/answers.js";
import { collectGarbage } from "../support/collect-garbage.js";
import { connect } from "../support/connect.js";
import { listen } from "../support/loopback.js";
import { reasonOf } from "../support/rejection.js";

// An abort arrives, however much of what lies between the caller's signal and the connection was collected.

const REASON = new Error("left");

/** Aborts after a collection, when the work is `ready`; returns what it rejects with. Nothing but its promise is kept. */
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

function deferred(): { promise: Promise<unknown>; resolve: (value?: unknown) => void } {
  let resolve: (value?: unknown) => void = () => {};
  const promise = new Promise<unknown>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("the SDK", () => {
  const CALLS: [
    name: string,
    call: (client: AsyncMusic, url: string, signal: AbortSignal) => Promise<unknown>,
  ][] = [
    ["a read", (client, _, signal) => client.account.balance({ signal: AbortSignal.any([signal]) })],
    ["a download", (client, url, signal) => client.audio.download(`${url}/song.wav`, { signal })],
  ];
  const ROUTES: [name: string, fetch: typeof globalThis.fetch | undefined][] = [
    ["the runtime's fetch", undefined],
    ["a custom fetch that passes its Request on", (input) => fetch(input)],
    ["a custom fetch with two parameters", (input, init) => fetch(input, init)],
  ];
  const rows = CALLS.flatMap(([name, call]) =>
    ROUTES.map(([route, fetch]) => [name, route, call, fetch] as const),
  );

  test.each(rows)("ends the connection of %s, with %s", async (_, __, call, fetch) => {
    const [arrived, closed] = [deferred(), deferred()];
    const server = await listen((to) => {
      to.once("close", () => closed.resolve());
      arrived.resolve();
    });
    const { client } = connect(server, fetch === undefined ? {} : { fetch });
    await abortLate((signal) => call(client, server.url, signal), arrived.promise);
    await closed.promise;
  });

  test("aborts the signal of the Request that a custom fetch received", async () => {
    const aborted = deferred();
    const fetch = ({ signal }: Request) =>
      new Promise<Response>(() => signal.addEventListener("abort", () => aborted.resolve(signal.reason)));
    const { client } = connect({ url: "http://music.example" }, { fetch: fetch as typeof globalThis.fetch });
    await abortLate((signal) => client.account.balance({ signal }));
    expect(await aborted.promise).toBe(REASON);
  });

  test.each<[name: string, follow: (client: AsyncMusic, signal: AbortSignal) => Promise<unknown>]>([
    [
      "wait",
      async (client, signal) => client.tasks.wait(await client.tasks.create(SONG_REQUEST), { signal }),
    ],
    ["run", (client, signal) => client.tasks.run(SONG_REQUEST, { signal })],
    [
      "watch",
      async (client, signal) =>
        drain(client.tasks.watch(await client.tasks.create(SONG_REQUEST), { signal })),
    ],
    ["runAll", (client, signal) => drain(client.tasks.runAll([SONG_REQUEST], { signal }))],
  ])("ends a %s that sleeps", async (_, follow) => {
    const emulator = open({ clock: "real" });
    const client = new AsyncMusic(emulator.connection());
    expect(await abortLate((signal) => follow(client, AbortSignal.any([signal])))).toBe(REASON);
  });
});

describe("the emulator", () => {
  const WAYS: [
    name: string,
    send: (emulator: Emulator, url: string, signal: AbortSignal) => Promise<Response>,
  ][] = [
    ["an address and a signal", (emulator, url, signal) => emulator.fetch(url, init(emulator, signal))],
    ["a Request", (emulator, url, signal) => emulator.fetch(new Request(url, init(emulator, signal)))],
    [
      "a Request and another signal",
      (emulator, url, signal) => emulator.fetch(new Request(url, init(emulator)), { signal }),
    ],
    [
      "a Request and other headers",
      (emulator, url, signal) => emulator.fetch(new Request(url, init(emulator, signal)), init(emulator)),
    ],
  ];

  describe.each(WAYS)("asked with %s", (_, send) => {
    test("ends a stalled request", async () => {
      const emulator = open();
      emulator.faults.add({ fault: { kind: "stall" } });
      const url = `${emulator.url}/api/v1/account/balance`;
      expect(await abortLate((signal) => send(emulator, url, signal))).toBe(REASON);
    });

    test("ends a file that is being read", async () => {
      const emulator = open();
      const url = await songOf(emulator);
      const reason = await abortLate(async (signal) => {
        const { body } = await send(emulator, url, signal);
        await collectGarbage();
        return (await aborted(signal)) && new Response(body).arrayBuffer();
      });
      expect(reason).toBe(REASON);
    });
  });

  test("ends a delayed request", async () => {
    const emulator = open({ clock: "real" });
    emulator.faults.add({ fault: { kind: "latency", ms: 3_600_000 } });
    const url = `${emulator.url}/api/v1/account/balance`;
    const reason = await abortLate((signal) => emulator.fetch(url, init(emulator, signal)));
    expect(reason).toBe(REASON);
  });

  test("ends a stalled request through MSW", async () => {
    const emulator = open();
    const server = setupServer(...emulatorHandlers(emulator));
    server.listen();
    onTestFinished(() => server.close());
    emulator.faults.add({ fault: { kind: "stall" } });
    const reason = await abortLate((signal) =>
      fetch(`${emulator.url}/api/v1/account/balance`, init(emulator, signal)),
    );
    expect(reason).toBe(REASON);
  });
});

function init(emulator: Emulator, signal?: AbortSignal): RequestInit {
  return { headers: { "x-api-key": emulator.apiKey }, ...(signal === undefined ? {} : { signal }) };
}

function open(options: Parameters<typeof createEmulator>[0] = {}): Emulator {
  const emulator = createEmulator(options);
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  return emulator;
}

async function songOf(emulator: Emulator): Promise<string> {
  const client = new AsyncMusic(emulator.connection());
  const { output } = await client.tasks.run(SONG_REQUEST);
  return output.result[0]?.audio_url ?? "";
}

function aborted(signal: AbortSignal): Promise<true> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(true);
    signal.addEventListener("abort", () => resolve(true), { once: true });
  });
}

async function drain(values: AsyncIterable<unknown>): Promise<void> {
  for await (const value of values) if (value instanceof Error) throw value;
}

import { onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index.js";
import { AsyncMusic, type ClientOptions } from "../../src/index.js";
import { SAMPLES } from "../spec/tables/samples.js";
import { createTimeLimit } from "../support/time-limit.js";

/** A new emulator behind one adapter, with a client of its first account. */
export interface World {
  emulator: Emulator;
  client: AsyncMusic;
  /** One more client: of another account's key, or with other options. */
  connect(options?: ClientOptions): AsyncMusic;
  /** Sends a GET without the SDK, with the first account's key. */
  ask(path: string): Promise<Response>;
  /** Fetches a URL that the emulator returned. */
  fetch: typeof globalThis.fetch;
  /** The requests so far, such as "GET 200". */
  arrivals(method?: string): string[];
}

export type Open = (options?: EmulatorOptions) => Promise<World>;

/** The first song of this seed is a short one: it costs the least real time to make. */
const SHORT_SONG_SEED = 57;

/** Tasks finish at the first poll: each poll takes real time where requests leave the process. */
const DONE_AT_ONCE = { queue_seconds: 1, process_seconds: 3 };

/** Creates worlds with one adapter, for the duration of a test each. */
export function openerFor(adapter: Adapter, base: Pick<EmulatorOptions, "seed" | "policy"> = {}): Open {
  return async ({ policy, ...options } = {}) => {
    const emulator = createEmulator({ clock: "virtual", seed: SHORT_SONG_SEED, ...base, ...options });
    if (policy !== undefined && policy !== "vary") emulator.changePolicy(policy);
    emulator.providers.provider_a.always(DONE_AT_ONCE);
    emulator.providers.provider_b.always(DONE_AT_ONCE);
    const { baseUrl, fetch, clientFetch, clientOptions, close } = await adapter(emulator);
    onTestFinished(async () => {
      await close();
      await emulator[Symbol.asyncDispose]();
    });

    const connect = (more: ClientOptions = {}) => {
      const apiKey = typeof more.apiKey === "function" ? undefined : more.apiKey;
      const connection = emulator.connection({ apiKey });
      return new AsyncMusic({ ...connection, baseUrl, fetch: clientFetch, ...clientOptions, ...more });
    };
    return {
      emulator,
      client: connect(),
      connect,
      fetch,
      ask: (path) => fetch(baseUrl + path, { headers: { "x-api-key": emulator.apiKey } }),
      arrivals: (method) =>
        emulator.requests
          .filter((request) => method === undefined || request.method === method)
          .map((request) => `${request.method} ${request.status}`),
    };
  };
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const { "provider_a music": SONG, "provider_a lyrics": LYRICS, "provider_a upload": UPLOAD } = SAMPLES;

export const CUSTOM_SONG = {
  ...SONG,
  input: { prompt: "[Verse]\nrain on the tram", tags: "fado, slow", title: "Tram 28" },
} as const;

export const PROVIDER_B_SONG = {
  ...SAMPLES["provider_b music"],
  input: { prompt: "calm and wide", lyrics_type: "instrumental", seed: 35 },
} as const;

/** Credits as `balance()` returns them. */
export function balanceOf(available: number, frozen = 0) {
  return { available, frozen, total: available + frozen };
}

/** Usage as `usage()` returns it. */
export function usageOf(tasks_created: number, credits_used: number, credits_topped_up: number) {
  return { tasks_created, credits_used, credits_topped_up };
}

export type Adapter = (emulator: Emulator) => Promise<Connected>;

export interface Connected {
  baseUrl: string;
  /** Reaches every URL that the emulator returns. */
  fetch: typeof globalThis.fetch;
  /** The client's `fetch` option; `undefined` leaves it to the global one. */
  clientFetch: typeof globalThis.fetch | undefined;
  /** Further options of clients in this runtime. */
  clientOptions?: ClientOptions;
  close(): Promise<void>;
}

/** In process, without a network. */
export const injectedFetch: Adapter = async (emulator) => ({
  baseUrl: emulator.url,
  fetch: emulator.fetch,
  clientFetch: emulator.fetch,
  close: async () => {},
});

/** Real milliseconds before a stalled request times out: emulator time would skip meanwhile if nothing stopped it. */
const STALLED_FOR_MS = 10;

/** A `timeoutMs` that passes soon after a request has stalled, however slow the machine is. */
export function limitOfStalls(emulator: Emulator): number {
  const { timeoutMs, pass } = createTimeLimit();
  const leave = emulator.onRequest(({ status }) => {
    if (status === null) setTimeout(pass, STALLED_FOR_MS);
  });
  onTestFinished(leave);
  return timeoutMs;
}

import { onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index.js";
import { AsyncMusic, type ClientOptions } from "../../src/index.js";
import { createTimeLimit } from "../support/time-limit.js";

/** A fresh emulator, reached in one way, with a client of its first account. */
export interface World {
  emulator: Emulator;
  client: AsyncMusic;
  /** One more client: of another account's key, or with other options. */
  connect(options?: ClientOptions): AsyncMusic;
  /** Asks the API as it is, with the first account's key unless the headers bear another. */
  ask(method: string, path: string, headers?: Record<string, string>): Promise<Response>;
  /** Fetches an address that the emulator handed out. */
  fetch: typeof globalThis.fetch;
  /** What arrived so far, as "GET 200" and the like. */
  arrivals(method?: string): string[];
}

export type Open = (options?: EmulatorOptions) => Promise<World>;

/** The first song of this seed is a short one: it costs the least real time to make. */
const SHORT_SONG_SEED = 57;

/** Tasks are done at the first poll: each poll costs real time where requests leave the emulator's sight. */
const DONE_AT_ONCE = { queue_seconds: 1, process_seconds: 3 };

/** Makes the worlds of one adapter; each is gone when its test is over. The policy may be another than the usual one. */
export function openerFor(adapter: Adapter, base: Pick<EmulatorOptions, "seed" | "policy"> = {}): Open {
  return async ({ policy, ...options } = {}) => {
    const emulator = createEmulator({ seed: SHORT_SONG_SEED, ...base, ...options });
    if (policy !== undefined && policy !== "vary") emulator.changePolicy(policy);
    emulator.providers.provider_a.always(DONE_AT_ONCE);
    emulator.providers.provider_b.always(DONE_AT_ONCE);
    const { baseUrl, fetch, clientFetch, clientOptions, close } = await adapter(emulator);
    onTestFinished(async () => {
      await close();
      await emulator[Symbol.asyncDispose]();
    });

    const connect = (more: ClientOptions = {}) => {
      const connection = emulator.connection({ apiKey: more.apiKey });
      return new AsyncMusic({ ...connection, baseUrl, fetch: clientFetch, ...clientOptions, ...more });
    };
    return {
      emulator,
      client: connect(),
      connect,
      fetch,
      ask: (method, path, headers = {}) =>
        fetch(baseUrl + path, { method, headers: { "x-api-key": emulator.apiKey, ...headers } }),
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

export const SONG = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
} as const;

export const CUSTOM_SONG = {
  model: "provider_a",
  task_type: "music",
  input: { prompt: "[Verse]\nrain on the tram", tags: "fado, slow", title: "Tram 28" },
} as const;

export const PROVIDER_B_SONG = {
  model: "provider_b",
  task_type: "music",
  input: { prompt: "calm and wide", lyrics_type: "instrumental", seed: 35 },
} as const;

export const LYRICS = {
  model: "provider_a",
  task_type: "lyrics",
  input: { prompt: "a letter to the sea" },
} as const;

export const UPLOAD = {
  model: "provider_a",
  task_type: "upload",
  input: { url: "https://example.com/humming.mp3" },
} as const;

export type Adapter = (emulator: Emulator) => Promise<Connected>;

export interface Connected {
  baseUrl: string;
  /** Reaches everything that the emulator hands out. */
  fetch: typeof globalThis.fetch;
  /** What a client needs to be given; `undefined` leaves it to the global one. */
  clientFetch: typeof globalThis.fetch | undefined;
  /** What else a client has to be told in this runtime. */
  clientOptions?: ClientOptions;
  close(): Promise<void>;
}

/** The shortest way: no network, and nothing that stands for one. */
export const injectedFetch: Adapter = async (emulator) => ({
  baseUrl: emulator.url,
  fetch: emulator.fetch,
  clientFetch: emulator.fetch,
  close: async () => {},
});

/** How long a request stalls, in real milliseconds, before it is given up: time would run away meanwhile, if nothing held it. */
const STALLED_FOR_MS = 10;

/** A `timeoutMs` that is over soon after a request has stalled: what is late on a slow machine is not given up. */
export function limitOfStalls(emulator: Emulator): number {
  const { timeoutMs, pass } = createTimeLimit();
  const leave = emulator.onRequest(({ status }) => {
    if (status === null) setTimeout(pass, STALLED_FOR_MS);
  });
  onTestFinished(leave);
  return timeoutMs;
}

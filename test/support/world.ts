import { AsyncMusic, type ClientOptions } from "async-music";
import { onTestFinished } from "vitest";
import { aborted } from "./aborted.js";
import { createTestClock, type TestClock } from "./test-clock.js";

export const API_KEY = "key_4f9a1c77e2b04d0c9e51";
export const BASE_URL = "https://music.example";

export interface SeenRequest {
  method: string;
  url: string;
  path: string;
  headers: Headers;
  body: string;
  /** Milliseconds of the test's clock since its beginning. */
  at: number;
  signal: AbortSignal;
  request: Request;
}

/** The service's response to its n-th request, counted from 0. */
export type Answerer = (request: SeenRequest, index: number) => Response | Promise<Response>;

export interface World {
  client: AsyncMusic;
  clock: TestClock;
  requests: SeenRequest[];
}

/** A client of a service with the test's responses, on a clock that skips. `prepare` may change its options. */
export function createWorld(
  answer: Answerer,
  options: ClientOptions & { clock?: TestClock } = {},
  prepare: (options: ClientOptions) => ClientOptions = (prepared) => prepared,
): World {
  const clock = options.clock ?? createTestClock();
  const requests: SeenRequest[] = [];
  const fetch = (input: string | URL | Request, init?: RequestInit) =>
    clock.during(serve(new Request(input, init)));

  async function serve(request: Request): Promise<Response> {
    const body = await request.clone().text();
    const { method, url, headers, signal } = request;
    const { pathname: path } = new URL(url);
    const seen = { method, url, path, headers, body, at: clock.elapsed(), signal, request };
    requests.push(seen);
    return answer(seen, requests.length - 1);
  }

  const own = { apiKey: API_KEY, baseUrl: BASE_URL, random: () => 0, ...options, clock, fetch };
  const client = new AsyncMusic(prepare(own));
  return { client, clock, requests };
}

/** A client whose requests go to this `fetch`, and are not retried. */
export function clientOf(fetch: typeof globalThis.fetch, options: ClientOptions = {}): AsyncMusic {
  return new AsyncMusic({ apiKey: API_KEY, baseUrl: BASE_URL, maxRetries: 0, ...options, fetch });
}

/** When each request arrived, in milliseconds of the test's clock. */
export const arrivals = ({ requests }: Pick<World, "requests">) => requests.map(({ at }) => at);

/** The times between these times. */
export const gaps = (times: number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));

/** Returns the responses in order, and repeats the last one. */
export function inTurn(...answers: (Response | (() => Response | Promise<Response>))[]): Answerer {
  return (_, index) => {
    const answer = answers[Math.min(index, answers.length - 1)];
    if (answer === undefined) throw new Error("Invariant: a test's service has at least one answer.");
    return answer instanceof Response ? answer.clone() : answer();
  };
}

/** Rejects as `fetch` does when the signal is aborted. Otherwise the connection breaks only when the test has ended. */
export function never({ request }: SeenRequest): Promise<Response> {
  const ended = new Promise<never>((_, reject) => {
    onTestFinished(() => reject(new TypeError("The test has ended.")));
  });
  return Promise.race([aborted(request), ended]);
}

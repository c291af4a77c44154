import { AsyncMusic, type ClientOptions } from "async-music";
import { createTestClock, type TestClock } from "./test-clock.js";
import { API_KEY } from "./world.js";

/** A client of a real server. It sends with the real `fetch`, and waits on a clock that skips. */
export function connect(
  { url }: { url: string },
  options: ClientOptions = {},
): { client: AsyncMusic; clock: TestClock } {
  const clock = createTestClock();
  const client = new AsyncMusic({ apiKey: API_KEY, baseUrl: url, random: () => 0.5, ...options, clock });
  return { client, clock };
}

/** A process that relays the ends of orders until it is killed, on a clock that is a hundred times as fast as the system's. */

import { setTimeout } from "node:timers/promises";
import { relay } from "../../cli/relay/relay.js";
import { processTerminal } from "./process-terminal.js";

const [baseUrl = "", apiKey = "", journal = "", webhook = "", secret = "", epoch = ""] =
  process.argv.slice(2);
const SPEED = 100;

await relay(
  { journal, webhook, timeout: 5000 },
  processTerminal({
    env: { ASYNC_MUSIC_API_KEY: apiKey, ASYNC_MUSIC_BASE_URL: baseUrl, ASYNC_MUSIC_WEBHOOK_SECRET: secret },
    client: {
      clock: {
        // One clock for all processes: leases end at the same time for all of them.
        now: () => Number(epoch) + SPEED * (Date.now() - Number(epoch)),
        sleep: (ms, signal) => setTimeout(ms / SPEED, undefined, { signal }),
      },
    },
  }),
);

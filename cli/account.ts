import { AsyncMusic, type ClientOptions, RateLimitedError } from "../src/index.js";
import { delayText } from "./delays.js";
import type { ConnectionFlags } from "./flags.js";
import { alignedTable, commandName, priceText, type Terminal, UsageError, writeResult } from "./terminal.js";

/** The client for the account whose key is in the environment. */
export function connect(flags: ConnectionFlags, terminal: Terminal, options: ClientOptions = {}): AsyncMusic {
  const { ASYNC_MUSIC_API_KEY: apiKey, ASYNC_MUSIC_BASE_URL: address } = terminal.env;
  const baseUrl = flags.baseUrl ?? address;
  const noKey = `Missing API key. Set ASYNC_MUSIC_API_KEY to a key from the service's dashboard. To try it without a charge, run \`${commandName(terminal)} emulator\`.`;
  const noAddress = "Missing service address. Set ASYNC_MUSIC_BASE_URL or pass --base-url.";
  if (!apiKey) throw new UsageError(baseUrl ? noKey : `${noKey} ${noAddress}`);
  if (!baseUrl) throw new UsageError(noAddress);
  // The commands write the warnings about a request themselves.
  return new AsyncMusic({ logLevel: "off", ...terminal.client, ...options, apiKey, baseUrl });
}

/** A client that writes to stderr how long the rate limit delays its request. */
function connectForOneRequest(flags: ConnectionFlags, terminal: Terminal): AsyncMusic {
  const client = connect(flags, terminal);
  const clock = terminal.client?.clock ?? Date;
  client.on("retry", ({ error, waitMs }) => {
    if (error instanceof RateLimitedError)
      terminal.stderr.write(`${delayText(new Date(clock.now() + waitMs))}\n`);
  });
  return client;
}

export async function showBalance(flags: ConnectionFlags, terminal: Terminal): Promise<void> {
  const balance = await connectForOneRequest(flags, terminal).account.balance();
  const rows = (["available", "frozen", "total"] as const).map((name) => [name, priceText(balance[name])]);
  writeResult(terminal, flags.json, balance, alignedTable(rows));
}

export async function showUsage(flags: ConnectionFlags, terminal: Terminal): Promise<void> {
  const usage = await connectForOneRequest(flags, terminal).account.usage();
  const rows = [
    ["tasks created", String(usage.tasks_created)],
    ["credits used", `${priceText(usage.credits_used)}, including refunded ones`],
    ["credits topped up", priceText(usage.credits_topped_up)],
  ];
  writeResult(terminal, flags.json, usage, alignedTable(rows));
}

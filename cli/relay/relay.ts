import { printableLine } from "../../src/contract/text.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { createRedactor } from "../../src/errors/redactor.js";
import { FOLLOW_DEFAULTS, Follower, type FollowerSettings } from "../../src/follow/follower.js";
import { LONGEST_LEASE_MS } from "../../src/follow/order-lease.js";
import type { AsyncMusic, ClientOptions, StoreOrder, UnacknowledgedOrder } from "../../src/index.js";
import { tenantOf } from "../../src/journal/entries.js";
import { createSystemClock, wallTime } from "../../src/time/clock.js";
import { systemRandom } from "../../src/time/random.js";
import { connect } from "../account.js";
import type { RelayFlags } from "../flags.js";
import { stylesFor, type Terminal, UsageError, untilSignal } from "../terminal.js";
import { journalAt, type OpenedJournal } from "./journal-at.js";
import { MOST_TRIES, nextTry } from "./schedule.js";
import { storeAt, stored } from "./store.js";
import { listUndelivered } from "./undelivered.js";
import { bodyOf, post, type Webhook, webhookSecrets, webhookUrl } from "./webhook.js";

/** Posts the end of each order of a journal to a webhook, until a signal ends it; or lists the orders that were not delivered. */
export async function relay(flags: RelayFlags, terminal: Terminal): Promise<void> {
  const { list = false, json = false, webhook: url, lease = FOLLOW_DEFAULTS.leaseMs } = flags;
  if (lease < 1000 || lease > LONGEST_LEASE_MS) throw new UsageError("--lease must be 1s to 10m.");
  if (list === (url !== undefined)) throw new UsageError("Pass either --webhook or --list.");
  if (json && !list) throw new UsageError("--json needs --list.");
  if (flags.store !== undefined && list) throw new UsageError("--store needs --webhook.");
  const webhook = url === undefined ? null : webhookOf(url, flags, terminal);
  const store = flags.store === undefined ? null : await storeAt(flags.store);
  const connectWith = (pacer?: ClientOptions["pacer"]) => connect(flags, terminal, { pacer });
  // A missing key is reported before the journal is opened.
  if (webhook !== null) connectWith();
  const opened = await journalAt(flags.journal, webhook !== null);
  try {
    if (webhook === null) return await listUndelivered(opened, flags, terminal);
    const client = connectWith(opened.pacer);
    await relayUntilSignal(opened, { client, webhook, store, flags, terminal });
  } finally {
    await opened.close();
  }
}

function webhookOf(url: string, { timeout }: RelayFlags, { env, client }: Terminal): Webhook {
  return {
    url: webhookUrl(url),
    secrets: webhookSecrets(env["ASYNC_MUSIC_WEBHOOK_SECRET"]),
    timeoutMs: timeout,
    fetch: client?.fetch ?? fetch,
  };
}

/** A relay that runs. */
interface Relay {
  client: AsyncMusic;
  webhook: Webhook;
  store: StoreOrder | null;
  flags: RelayFlags;
  terminal: Terminal;
}

async function relayUntilSignal({ journal, exists }: OpenedJournal, running: Relay): Promise<void> {
  const { webhook, flags, terminal } = running;
  const { stderr } = terminal;
  // The next signal ends the process, even if a post does not end.
  const { signal, stop } = untilSignal(terminal);
  stderr.write(`Relaying the ends of ${exists ? "" : "future "}orders to ${webhook.url.host}.\n`);
  if (!exists)
    stderr.write(
      `There is no journal at ${printableLine(flags.journal)} yet. Check the path, or wait for the first order.\n`,
    );
  try {
    await new Follower(journal, settingsOf(running)).run(signal);
  } finally {
    stop();
  }
}

function settingsOf({ client, webhook, store, flags, terminal }: Relay): FollowerSettings {
  const { retry = false, lease = FOLLOW_DEFAULTS.leaseMs } = flags;
  const { clock = createSystemClock(), random = systemRandom } = terminal.client ?? {};
  const redactor = createRedactor(terminal.env["ASYNC_MUSIC_API_KEY"] ?? "");
  const fail = (text: string) => {
    const style = stylesFor(terminal.stderr, terminal.env);
    terminal.stderr.write(`${style("red", "async-music:")} ${printableLine(text)}\n`);
  };
  return {
    ...FOLLOW_DEFAULTS,
    ...{ leaseMs: lease, clock, random, redactor },
    wait: (_, entry, signal) =>
      client.tasks.wait(entry.submission ?? entry.task_id, { signal, tenant: tenantOf(entry) }),
    isDue: ({ delivery }: UnacknowledgedOrder) => {
      if (delivery === null) return true;
      return delivery.next_at === null ? retry : Date.parse(delivery.next_at) <= wallTime(clock);
    },
    onJournalFailure: (error, retryMs) =>
      fail(`The journal failed, and is tried again in ${retryMs / 1000} s. ${messageOfThrown(error)}`),
    onForeignTask: (text) => fail(redactor.text(text)),
    deliver: async (order, record, signal) => {
      const { deliveryId, key, entry } = order;
      const reason = await stored(store, order, client, { signal, graceMs: webhook.timeoutMs }).then(
        (files) => post(webhook, deliveryId, bodyOf(order, redactor, files), wallTime(clock)),
        messageOfThrown,
      );
      if (reason === null) {
        await record("acknowledged");
        terminal.stdout.write(`${printableLine(key)} ${printableLine(deliveryId)}\n`);
        return;
      }
      const delivery = nextTry(entry.delivery, redactor.text(reason), { now: wallTime(clock), random });
      await record(delivery);
      const next =
        delivery.next_at === null
          ? `Gave up after ${MOST_TRIES} tries: \`relay --list\` lists the order, and \`--retry\` tries it again.`
          : `The next try is at ${delivery.next_at}.`;
      fail(
        `Order ${JSON.stringify(key)} was not delivered, try ${delivery.tries}: ${delivery.last_error}. ${next}`,
      );
    },
  };
}

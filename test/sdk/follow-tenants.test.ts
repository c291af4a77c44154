import { AsyncMusic, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";

const REQUEST = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;

/** More than a follower holds at once. */
const CROWD = 1200;
const SONGS = 24;
const BETWEEN_MS = 40_000;

/**
 * How late a follower notices the ends of a tenant's orders on average, beside unfinished orders of another tenant: these take as
 * many seconds.
 */
async function meanDelay(crowd: readonly number[]): Promise<number> {
  await using emulator = createEmulator({ seed: 1, credits: 100_000, limits: { requests: 1_000_000 } });
  const { clock } = emulator;
  const journal = memoryJournal();
  const create = async (client: AsyncMusic, tenant: string, journalKey: string, seconds: number) => {
    emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 0, process_seconds: seconds });
    await client.tasks.create(REQUEST, { tenant, journal, journalKey });
    return clock.now() + 1000 * seconds;
  };
  const crowded = new AsyncMusic(emulator.connection());
  for (const [index, seconds] of crowd.entries()) await create(crowded, "large", `large-${index}`, seconds);
  emulator.changeLimits({ requests: 120, windowSeconds: 60 });
  await clock.advance(120_000);

  const client = new AsyncMusic(emulator.connection());
  const endsAt = new Map<string, number>();
  const submit = async () => {
    await clock.sleep(60_000);
    for (let index = 0; index < SONGS; index++) {
      const key = `small-${index}`;
      endsAt.set(key, await create(client, "small", key, 30 + ((index * 37) % 91)));
      await clock.sleep(BETWEEN_MS);
    }
  };
  const submitting = submit();
  const delays: number[] = [];
  for await (const { key } of client.tasks.follow(journal)) {
    const endedAt = endsAt.get(key);
    if (endedAt !== undefined) delays.push(clock.now() - endedAt);
    if (delays.length === SONGS) break;
  }
  await submitting;
  expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  return delays.reduce((sum, delay) => sum + delay) / SONGS;
}

test.each([
  ["none of which ends", () => 3500],
  ["which end meanwhile", (index: number) => 130 + ((index * 97) % 1500)],
])(
  "a tenant's orders are noticed nearly as soon as alone beside 1,200 of another tenant, %s",
  async (_, secondsOf) => {
    const alone = await meanDelay([]);
    const beside = await meanDelay(Array.from({ length: CROWD }, (__, index) => secondsOf(index)));
    expect(beside).toBeLessThan(1.2 * alone);
  },
);

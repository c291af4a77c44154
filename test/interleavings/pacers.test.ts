import type { AsyncMusic } from "async-music";
import { expect, test } from "vitest";
import { FleetPacer } from "../../src/databases/redis/fleet-pacer.js";
import { createSharedWindow } from "../../tools/pacing/shared-window.js";
import { interleave, type Stage } from "../support/interleavings.js";

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
const LIMITS = { requests: 20, windowSeconds: 60 };
const SIZE = { requests: 20, windowMs: 60_000 };

/** Members of a fleet. A counter on the emulator's clock replaces Redis; its replies take up to 1.4 s. */
function fleetOf({ emulator, slowly, client }: Stage) {
  const { clock } = emulator;
  const join = createSharedWindow(clock, SIZE);
  const errors: unknown[] = [];
  const member = () => {
    const fleet = slowly(
      join(),
      ["take", "hold", "correct", "reserveRead", "noteRead", "reportTenants"],
      700,
    );
    const pacer = new FleetPacer(clock, fleet, SIZE, (error) => errors.push(error));
    return client({ pacer });
  };
  return { member, errors };
}

/** Each actor runs some songs with a client, one after the other. */
async function runSongs({ actors, pick, delay }: Stage, clientOf: () => AsyncMusic): Promise<void> {
  const ended = await actors(async () => {
    const own = clientOf();
    for (let song = 0; song < pick(1, 4, 9); song++) {
      await own.tasks.run(LYRICS);
      await delay();
    }
  });
  for (const each of ended) if (each.status === "rejected") throw each.reason;
}

const refused = ({ emulator }: Stage) => emulator.requests.filter(({ status }) => status === 429);

test("members of a fleet that wait for one task read it at least a second apart, and all get it", () =>
  interleave(
    async (stage) => {
      const { emulator, actors, pick, mayAbort } = stage;
      const { member } = fleetOf(stage);
      const process_seconds = pick(3, 20, 70);
      emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 0, process_seconds });
      const { task_id } = await member().tasks.create(LYRICS);
      const ended = await actors(async () => {
        const own = member();
        const { signal, reason } = mayAbort(30_000);
        const options = { signal, pollIntervalMs: pick(1000, 1500, 5000) };
        await own.tasks.wait(task_id, options).catch((error) => expect(error).toBe(reason));
        return (await own.tasks.wait(task_id, options).catch(() => null)) ?? own.tasks.retrieve(task_id);
      });
      for (const each of ended) if (each.status === "rejected") throw each.reason;
      expect(emulator.audit()).toEqual([]);
      expect(refused(stage)).toEqual([]);
    },
    { limits: LIMITS },
  ));

test("members of a fleet stay within the limit, and each gets its turn", () =>
  interleave(
    async (stage) => {
      const { emulator, clock } = stage;
      const { member, errors } = fleetOf(stage);
      const begun = clock.now();
      await runSongs(stage, member);
      expect(refused(stage)).toEqual([]);
      expect(emulator.audit()).toEqual([]);
      expect(errors).toEqual([]);
      expect(clock.now() - begun).toBeLessThan(61_000 * (3 + emulator.requests.length / 10) + 300_000);
    },
    { limits: LIMITS, runs: 20 },
  ));

test("a late reply never lowers the count of a fleet, nor ends its hold", () =>
  interleave(
    async (stage) => {
      const { emulator, actors, pick, delay, client } = stage;
      const { clock } = emulator;
      const join = createSharedWindow(clock, SIZE);
      const sentDuringHold: number[] = [];
      let heldUntil = 0;
      await actors(async () => {
        const pacer = new FleetPacer(clock, join(), SIZE, () => {});
        const own = client({ pacer, maxRetries: 0 });
        own.on("pause", ({ until }) => {
          heldUntil = Math.max(heldUntil, until.getTime());
        });
        own.on("attempt", () => {
          // The hold of another process takes effect when the shared count has it.
          if (clock.now() < heldUntil - 55_000) sentDuringHold.push(clock.now());
        });
        for (let read = 0; read < pick(3, 8); read++) {
          await own.account.balance().catch(() => {});
          await delay();
        }
      });
      expect(sentDuringHold).toEqual([]);
      expect(refused(stage)).toEqual([]);
    },
    { limits: LIMITS },
  ));

test("a client of its own stays within the limit, however late the responses come", () =>
  interleave(
    async (stage) => {
      const { emulator, client } = stage;
      const own = client();
      await runSongs(stage, () => own);
      expect(refused(stage)).toEqual([]);
      expect(emulator.audit()).toEqual([]);
    },
    { limits: { requests: 120, windowSeconds: 60 }, runs: 20 },
  ));

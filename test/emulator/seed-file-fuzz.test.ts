import { checkCompliance, createEmulator } from "async-music/emulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TASK_STATUSES } from "../../src/contract/service.js";

const REQUESTS = [
  { model: "provider_a", task_type: "music", input: { tags: "polka" } },
  { model: "provider_a", task_type: "music", input: { continue_clip_id: "a" } },
  { model: "provider_a", task_type: "concat", input: { clip_id: "b" } },
  { model: "provider_a", task_type: "lyrics", input: { prompt: "the sea" } },
  { model: "provider_a", task_type: "upload", input: { url: "https://example.com/hum.mp3" } },
  { model: "provider_b", task_type: "music", input: { prompt: "folk" }, audio_format: "mp3" },
];

const seconds = fc.oneof(fc.constantFrom(0, 3600), fc.integer({ min: 0, max: 4000 }));
const task = fc
  .record(
    {
      request: fc.constantFrom(...REQUESTS),
      status: fc.constantFrom(...TASK_STATUSES),
      created_ago: fc.oneof(
        fc.constantFrom("0s", "1h", "7d", "8d"),
        seconds.map((each) => `${each}s`),
      ),
      process_seconds: seconds,
      clip_ids: fc.constantFrom(["a"], ["b"], ["a", "b"], ["c"]),
      outcome: fc.record(
        { queue_seconds: seconds, polls: fc.integer({ min: 1, max: 3 }) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ["request", "status"] },
  )
  .map(({ request, status, created_ago, process_seconds, clip_ids, outcome }) => ({
    ...request,
    status,
    ...(created_ago !== undefined && { created_ago }),
    ...(/success|failure/.test(status) && process_seconds !== undefined && { process_seconds }),
    ...(status === "success" && clip_ids !== undefined && { clip_ids }),
    ...(/pending|running/.test(status) && outcome !== undefined && { outcome }),
  }));
const account = fc.record({ credits: fc.constantFrom(0, 10, 1000), tasks: fc.array(task, { maxLength: 5 }) });
const file = fc.record({
  accounts: fc.array(account, { minLength: 1, maxLength: 3 }),
  policy: fc.record({
    late_success: fc.constantFrom("success", "timeout"),
    running_after: fc.constantFrom("provider", "first_read"),
  }),
});

test("any seed file is refused with a path, or gives a state with its statuses and credits that restores elsewhere", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(file, async (seedFile) => {
      const emulator = create(seedFile);
      if (emulator === null) return;
      accepted++;
      const { accounts, tasks } = emulator.state();
      expect(accounts.map(({ balance }) => balance.available)).toEqual(
        seedFile.accounts.map(({ credits }) => credits),
      );
      for (const [index, { account_id }] of accounts.entries()) {
        const statuses = tasks.filter((each) => each.account_id === account_id).map(({ status }) => status);
        expect(statuses.sort()).toEqual(seedFile.accounts[index]?.tasks.map(({ status }) => status).sort());
      }
      const snapshot = emulator.snapshot();
      expect(createEmulator({ snapshot }).snapshot()).toEqual(snapshot);
      await emulator.clock.advance(3_600_001);
      checkCompliance(emulator);
      // Under the other choice, they end at a read.
      if (seedFile.policy.late_success === "success") return;
      expect(emulator.accounts.list().map(({ balance }) => balance.frozen)).toEqual(accounts.map(() => 0));
    }),
    { numRuns: 300 },
  );
  expect(accepted).toBeGreaterThan(30);
});

/** `null` if the emulator refuses the file. */
function create(seedFile: object) {
  try {
    return createEmulator({ seedFile });
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toMatch(/`seedFile\.accounts\[\d\]\.(?:credits|tasks\[\d\]\.\w+)/);
    return null;
  }
}

import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Overview } from "../../emulator/dashboard/api.js";
import { balances, changeOf, ledgers, overview } from "../../emulator/dashboard/store.js";
import { balanceCurves } from "../../emulator/dashboard/views/account/balance-curves.js";
import { histories, sumsOf, take } from "../emulator/support/histories.js";
import { createService } from "../emulator/support/service.js";

test("each line of the statement and each point of the chart agrees with the ledger, after any history", async () => {
  onTestFinished(() => {
    overview.value = null;
    ledgers.value = {};
  });
  /** All, or from about the time of an entry. */
  const begins = fc.option(fc.record({ entry: fc.nat(), ms: fc.constantFrom(-1, 0, 1) }));
  const property = fc.asyncProperty(histories({ maxSteps: 40 }), begins, async (history, begin) => {
    const { emulator } = createService({ seed: 1, credits: 40 });
    const { accountId: id, apiKey, accounts, clock } = emulator;
    for (const step of history) await take(step, { emulator, id, apiKey });
    const response = await emulator.fetch(`${emulator.url}/_emulator/overview`);
    const latest: Overview = await response.json();
    overview.value = latest;
    const { ledger } = accounts.get(id);
    ledgers.value = { [id]: ledger };

    const statement = balances.value;
    expect(statement.map(({ entry }) => entry)).toEqual(ledger);
    for (const [index, { available, frozen }] of statement.entries())
      expect(sumsOf(ledger.slice(0, index + 1))).toMatchObject({ available, frozen });
    const change = ledger.reduce((sum, entry) => sum + changeOf(entry), 0);
    expect(latest.accounts[0]?.balance.available).toBe(change);

    const until = clock.now();
    const balanceAt = (time: number) => sumsOf(ledger.filter(({ at }) => Date.parse(at) <= time));
    const start = begin === null ? undefined : statement[begin.entry % statement.length]?.at;
    const from = start === undefined ? Number.NEGATIVE_INFINITY : Math.min(until, start + (begin?.ms ?? 0));
    const { entries, data } = balanceCurves(statement, from, until);
    expect(entries).toEqual(statement.filter(({ at }) => at >= from).reverse());
    if (start !== undefined) expect(data[0][0]).toBe(Math.max(from, statement[0]?.at ?? 0) / 1000);
    const [times, ...curves] = data;
    expect(times.at(-1)).toBe(until / 1000);
    for (const [index, seconds] of times.entries()) {
      const { available, frozen } = balanceAt(seconds * 1000);
      expect(curves.map((curve) => curve[index])).toEqual([available, frozen]);
    }
    const moments = [(times[0] ?? 0) * 1000, ...entries.map(({ at }) => at)];
    expect(curves[0]).toContain(Math.min(...moments.map((at) => balanceAt(at).available)));
  });
  await fc.assert(property, { numRuns: 60 });
});

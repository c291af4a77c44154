import { expect } from "vitest";
import type { Kit } from "../kit.js";
import { MINUTE, type Open, SONG } from "../world.js";

const BALANCE = "/api/v1/account/balance";

export function describeRateLimit(open: Open, { describe, it }: Kit): void {
  describe("the rate limit", () => {
    it("is never exceeded by a client, even for 300 concurrent calls", async () => {
      const { client, emulator, arrivals } = await open();
      const beganAt = emulator.clock.now();
      const balances = await Promise.all(Array.from({ length: 300 }, () => client.account.balance()));
      expect(balances).toHaveLength(300);
      expect(arrivals()).toEqual(Array(300).fill("GET 200"));
      expect(emulator.clock.now() - beganAt).toBeGreaterThanOrEqual(2 * MINUTE);
    });

    it("is never exceeded by 8 concurrent waits, which need 96 polls in a window of 40 requests", async () => {
      const { client, emulator, arrivals } = await open({ limits: { requests: 40 } });
      emulator.providers.provider_a.always({ process_seconds: 60 });
      const runs = Array.from({ length: 8 }, () => client.tasks.run(SONG, { pollIntervalMs: 5000 }));
      expect(await Promise.all(runs)).toHaveLength(8);
      expect(arrivals().filter((arrival) => arrival.endsWith("429"))).toEqual([]);
      expect(emulator.audit()).toEqual([]);
    });

    it("accepts exactly 120 requests of a burst, and states the wait for the others in header and body", async () => {
      const { ask, emulator } = await open();
      const responses = await Promise.all(Array.from({ length: 130 }, () => ask(BALANCE)));
      const passed = responses.filter(({ status }) => status === 200);
      const limited = responses.filter(({ status }) => status === 429);
      expect([passed.length, limited.length]).toEqual([120, 10]);
      expect(passed.filter(({ headers }) => headers.has("Retry-After"))).toEqual([]);
      const remaining = passed.map(({ headers }) => Number(headers.get("X-RateLimit-Remaining")));
      expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 120 }, (_, index) => 119 - index));
      for (const response of limited) {
        expect(response.headers.get("Retry-After")).toBe("60");
        expect(response.headers.get("X-RateLimit-Remaining")).toBe("0");
        const body = { code: 429, error_code: "rate_limited", retry_after_seconds: 60 };
        expect(await response.json()).toMatchObject(body);
      }

      await emulator.clock.advance(MINUTE - 1);
      expect((await ask(BALANCE)).status).toBe(429);
      await emulator.clock.advance(1);
      expect((await ask(BALANCE)).status).toBe(200);
    });

    it("is waited out to the second when another process has used it up", async () => {
      const { ask, client, emulator, arrivals } = await open();
      await Promise.all(Array.from({ length: 120 }, () => ask(BALANCE)));
      const beganAt = emulator.clock.now();
      expect(await client.account.balance()).toMatchObject({ available: 1000 });
      expect(arrivals().slice(120)).toEqual(["GET 429", "GET 200"]);
      expect(emulator.clock.now() - beganAt).toBe(MINUTE);
    });
  });
}

import { expect, test } from "vitest";
import { Waves } from "../../../../src/rate-limit/waves.js";

/** Sends as many as may leave, none of which is answered. */
function sendAll(waves: Waves, now: number, free: number): number {
  let sent = 0;
  while (sent < 100 && waves.admits(now, sent)) waves.spend(now, sent++, free);
  return sent;
}

test.each([
  [30, 10],
  [31, 10],
  [33, 11],
  [3, 1],
  [1, 1],
  [0, 1],
  [-5, 1],
])("of %i that are free a wave takes a third, but one at least: %i", (free, sent) => {
  expect(sendAll(new Waves(), 0, free)).toBe(sent);
});

test("a new wave begins only when all of the last one are answered", () => {
  const waves = new Waves();
  sendAll(waves, 0, 30);
  expect(waves.admits(1500, 10)).toBe(false);
  expect(waves.admits(1500, 1)).toBe(false);
  expect(waves.admits(1500, 0)).toBe(true);
  expect(sendAll(waves, 1500, 12)).toBe(4);
});

test("what is left of a wave may leave later", () => {
  const waves = new Waves();
  waves.spend(0, 0, 9);
  expect(waves.admits(500, 1)).toBe(true);
  waves.spend(500, 1, 90);
  waves.spend(900, 2, 90);
  expect(waves.admits(900, 3)).toBe(false);
});

test("answers that are late are waited for two seconds, counted from the wave's beginning", () => {
  const waves = new Waves();
  sendAll(waves, 1000, 6);
  expect(waves.admits(2999, 2)).toBe(false);
  expect(waves.admits(3000, 2)).toBe(true);
  waves.spend(3000, 2, 6);
  waves.spend(3000, 3, 6);
  expect(waves.admits(4999, 4)).toBe(false);
  expect(waves.admits(5000, 4)).toBe(true);
});

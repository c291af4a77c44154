import { createEmulator, type EmulatorOptions } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test, vi } from "vitest";

/** What `serve` prints for an emulator with these options, and its clock. */
async function warningsOf(options: EmulatorOptions, isFork = false): Promise<string[]> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const emulator = createEmulator(options);
  await using _ = await serve(isFork ? emulator.fork() : emulator);
  return warn.mock.calls.splice(0).map(String);
}

test("a virtual clock by default is one warning, which names the real clock", async () => {
  for (const isFork of [false, true]) {
    const warnings = await warningsOf({ credits: 5 }, isFork);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("Its time stands still unless something sleeps on `emulator.clock`");
    expect(warnings[0]).toContain('clock: "real"');
    expect(warnings[0]?.split("\n")).toHaveLength(1);
  }
});

test.each(["real", "virtual"] as const)("a clock that was chosen is no warning: %s", async (clock) => {
  expect(await warningsOf({ clock })).toEqual([]);
});

import { beforeEach, expect, test } from "vitest";
import { explore } from "../../emulator/worlds/index.js";
import { shop } from "../../tools/simulate/program.js";
import { unwatch } from "../lifecycle/begun.js";
import { SHARE, shares } from "../support/futures.js";

// Processes that crash leave open what they began.
beforeEach(unwatch);

test.each(shares)(
  "the SDK keeps its promises, in worlds of the version %i and those after it",
  async (first) => {
    const { worlds } = await explore(shop, { seed: first, count: SHARE, future: true });
    expect(worlds).toBe(SHARE);
  },
);

import { BrokenWorldError, explore } from "async-music/emulator/worlds";
import { beforeEach, expect, test } from "vitest";
import { unwatch } from "../lifecycle/begun.js";
import { BUGS, RIGHT } from "./corpus/index.js";

// The processes of a world end in the middle of their waits.
beforeEach(unwatch);

/** Found by `npm run corpus`: their worlds take seconds. */
const SLOW = [
  "the status timeout is not final",
  "a failed read is repeated at once",
  "the audio is stored after the delivery",
  "a download that fails counts as expired",
  "a song without a journal is stored twice",
];

test("the corpus has at least 40 planted bugs, and the slow ones are among them", () => {
  expect(Object.keys(BUGS).length).toBeGreaterThanOrEqual(40);
  expect(Object.keys(BUGS)).toEqual(expect.arrayContaining(SLOW));
});

test.each(Object.entries(BUGS).filter(([name]) => !SLOW.includes(name)))(
  "the bug is found: %s",
  async (_, app) => {
    await expect(explore(app, { count: 700 })).rejects.toBeInstanceOf(BrokenWorldError);
  },
);

test.each(Object.entries(RIGHT))("the right program is not accused: %s", async (name, app) => {
  await explore(app, { seed: 5000, count: name === "with its audio stored" ? 5 : 25 });
});

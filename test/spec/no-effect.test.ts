import { describe, expect, it } from "vitest";
import { createService } from "./emulated-service.js";
import { NO_EFFECT, type NoEffectRow } from "./tables/no-effect.js";
import { madeClip, read, submit } from "./tasks-of-the-emulator.js";

describe("fields without a meaning do not change the result", () => {
  it.each(NO_EFFECT)("$name", async (row) => {
    const plain = await make({ name: row.name, plain: row.plain });
    expect(plain).toMatchObject({ status: "success" });
    expect(await make(row)).toEqual(plain);
  });
});

/** The result and the times of a task, without the echo of its request. */
async function make({ plain, input, root }: NoEffectRow): Promise<object> {
  const service = createService({ seed: 4 });
  const clipId = await madeClip(service);
  const own = Object.fromEntries(
    Object.entries(plain.input).map(([name, value]) => [name, name.endsWith("clip_id") ? clipId : value]),
  );
  const taskId = await submit(service, { ...plain, ...root, input: { ...own, ...input } });
  await service.emulator.clock.advance(600_000);
  const { input: _, audio_format: __, ...made } = Object((await read(service, taskId)).data);
  return made;
}

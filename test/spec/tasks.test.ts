import { describe, expect, it } from "vitest";
import { createService, field } from "./emulated-service.js";
import { misfits } from "./misfits.js";
import { CLIP_METADATA, LYRICS, MUSIC_CLIP, OUTPUT, PLAIN_CLIP, TASK } from "./tables/fields.js";
import { SAMPLES } from "./tables/samples.js";
import { OFFERS } from "./tables/service.js";
import { STATUS_FIELDS } from "./tables/statuses.js";
import { read, submit, taskIn } from "./tasks-of-the-emulator.js";

const EACH = OFFERS.flatMap((offer) =>
  STATUS_FIELDS.map((row) => ({ ...row, offer, what: `${offer.type} by ${offer.model}` })),
);
const ERROR_FIELDS = ["error", "error_code", "retryable"];

describe("a task of the emulator", () => {
  it.each(EACH)("$what in $status has exactly the documented fields", async ({ status, offer, ...row }) => {
    const { data } = await taskIn(status, createService(), offer);
    expect(misfits(data, TASK)).toEqual([]);
    expect(data).toMatchObject({ status, model: offer.model, type: offer.type, credits_cost: offer.credits });

    for (const name of ERROR_FIELDS) expect(field(data, name) === null, name).toBe(row.error === "null");
    expect(field(data, "completed_at") === null).toBe(row.completedAt === "null");
    if (status !== "failure" && status !== "timeout") expect(field(data, "retry_after_seconds")).toBeNull();

    const output = field(data, "output");
    if (row.result === "filled" || output !== null) expect(misfits(output, OUTPUT)).toEqual([]);
    if (output !== null) expect(field(output, "task_type")).toBe(offer.type);
    const result = field(output, "result") ?? null;
    expect(result === null).toBe(row.result === "null");
  });

  it.each(OFFERS)("$type by $model that succeeded has a result of its type", async (offer) => {
    const { data } = await taskIn("success", createService(), offer);
    const result = field(field(data, "output"), "result");
    if (offer.type === "lyrics") {
      expect(misfits(result, LYRICS)).toEqual([]);
      expect(field(result, "text")).toMatch(/\[(Verse|Chorus)\]/);
      return;
    }
    const clips: unknown[] = Array.isArray(result) ? result : [];
    expect(clips.length).toBeGreaterThan(0);
    for (const clip of clips) expect(clipMisfits(clip, offer.type)).toEqual([]);
  });

  it("is completed after it was created, by the provider's processing time", async () => {
    const { data } = await taskIn("success", createService(), OFFERS[0]);
    const [created, completed] = ["created_at", "completed_at"].map((name) =>
      Date.parse(String(field(data, name))),
    );
    expect(Number(completed) - Number(created)).toBe(40_000);
  });

  it.each([7, 0, null])("returns the provider's stated wait of %s s", async (seconds) => {
    const service = createService();
    const reason = { error_code: "rate_limited", retry_after_seconds: seconds } as const;
    service.emulator.providers.provider_b.next({ outcome: "failure", polls: 1, ...reason });
    const taskId = await submit(service, SAMPLES["provider_b music"]);
    const { data } = await read(service, taskId);
    expect(data).toMatchObject({ status: "failure", ...reason });
  });
});

function clipMisfits(clip: unknown, type: string): string[] {
  if (type !== "music") return misfits(clip, PLAIN_CLIP);
  return [...misfits(clip, MUSIC_CLIP, "pass"), ...misfits(field(clip, "metadata"), CLIP_METADATA, "pass")];
}

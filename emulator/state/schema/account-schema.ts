import * as z from "zod/mini";
import { LEDGER_KINDS } from "../../ledger/ledger.js";
import { oneOf } from "../../options/one-of.js";
import { count, credits, flag, list, nullableText, object, record, text, time } from "./parts.js";
import { purchasesSchema } from "./purchases-schema.js";

const ledger = object({
  entries: list(
    object({
      at: time,
      kind: oneOf(...LEDGER_KINDS),
      credits,
      taskId: nullableText,
    }),
  ),
  available: credits,
  frozen: credits,
  settled: credits,
  toppedUp: credits,
  holds: record(credits),
});

const window = z.discriminatedUnion(
  "kind",
  [
    object({ kind: z.literal("fixed"), startedAt: time, used: count }),
    object({ kind: z.literal("sliding"), admittedAt: list(time) }),
  ],
  "be a window",
);

export const accountSchema = object({
  id: text,
  suspended: flag,
  keys: list(object({ id: text, value: text, disabled: flag, window: z.nullable(window) })),
  ledger,
  purchases: purchasesSchema,
  tasksCreated: count,
  creditsUsed: count,
});

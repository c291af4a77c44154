import * as z from "zod/mini";
import { LEDGER_KINDS } from "../../ledger/ledger.js";
import { objectOf } from "../../options/object-of.js";
import { oneOf } from "../../options/one-of.js";
import { count, credits, flag, list, nullableText, record, text, time } from "./parts.js";
import { purchasesSchema } from "./purchases-schema.js";

const ledger = objectOf({
  entries: list(
    objectOf({
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
    objectOf({ kind: z.literal("fixed"), startedAt: time, used: count }),
    objectOf({ kind: z.literal("sliding"), admittedAt: list(time) }),
  ],
  "be a window",
);

export const accountSchema = objectOf({
  id: text,
  suspended: flag,
  keys: list(objectOf({ id: text, value: text, disabled: flag, window: z.nullable(window) })),
  ledger,
  purchases: purchasesSchema,
  tasksCreated: count,
  creditsUsed: count,
});

import * as z from "zod/mini";
import { numberBetween, wholeNumber } from "../options/numbers.js";
import { objectOf } from "../options/object-of.js";
import { parseOption } from "../options/parse-option.js";

/** Trouble, and the requests that meet it. Of several faults that match, the one that was added first fires. */
export interface FaultRule {
  /** @defaultValue any */
  method?: string | undefined;
  /** An exact path, or the beginning of one where it ends in `*`. @defaultValue any */
  path?: string | undefined;
  /** How often it fires. @defaultValue 1, and without end where there is a `probability` */
  times?: number | undefined;
  /** How likely it fires when it could, 0 to 1; drawn from the seed. @defaultValue 1 */
  probability?: number | undefined;
  fault: Fault;
}

/**
 * What goes wrong. `when` is `"before"` (nothing has happened) or `"after"` (the request was carried out, and only its
 * answer is lost).
 */
export type Fault =
  /** Another answer: the status, with the service's error body. */
  | {
      kind: "status";
      /** 200 to 599. */
      status: number;
      /** @defaultValue the one that the interface gives for the status */
      error_code?: string | undefined;
      /** Also sets `Retry-After`. @defaultValue 1 for a 429, which always states its wait; else none */
      retry_after_seconds?: number | undefined;
      when: "before" | "after";
    }
  /** The connection breaks. */
  | { kind: "disconnect"; when: "before" | "after" }
  /** The request takes this much longer, in milliseconds on the emulator's clock. */
  | { kind: "latency"; ms: number }
  /** The request is carried out, and the body of its answer is cut. */
  | { kind: "malformed" }
  /**
   * Nothing happens, and no answer ever comes. A client gives up in real time, and until it does, a virtual clock skips
   * no further by itself: `clock.advance` moves it.
   */
  | { kind: "stall" };

/** A fault that waits for its requests. */
export interface ArmedFault {
  /** Its place among all that were ever added: its stream of chance. */
  ordinal: number;
  rule: FaultRule;
  /** How often it can still fire; `null` for without end. */
  left: number | null;
  /** How often it could have fired. */
  met: number;
}

const when = z.enum(["before", "after"], "be before or after");

const faultSchema = z.discriminatedUnion(
  "kind",
  [
    objectOf({
      kind: z.literal("status"),
      status: wholeNumber(200, 599),
      error_code: z.optional(z.string("be a string")),
      retry_after_seconds: z.optional(wholeNumber(0, 1e9)),
      when,
    }),
    objectOf({ kind: z.literal("disconnect"), when }),
    objectOf({ kind: z.literal("latency"), ms: numberBetween(0, 1e12) }),
    objectOf({ kind: z.literal("malformed") }),
    objectOf({ kind: z.literal("stall") }),
  ],
  "have a `kind` of status, disconnect, latency, malformed or stall",
);

/** @internal */
export const ruleSchema = objectOf({
  method: z.optional(z.string("be a string")),
  path: z.optional(z.string("be a string")),
  times: z.optional(wholeNumber(1, 1e9)),
  probability: z.optional(numberBetween(0, 1)),
  fault: faultSchema,
});

/**
 * A fault that a caller asked for.
 *
 * @throws RangeError that names the field that is wrong.
 */
export function parseFaultRule(value: unknown): FaultRule {
  return parseOption("fault", ruleSchema, value);
}

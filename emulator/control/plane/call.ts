import type * as z from "zod/mini";
import { parseOption } from "../../core/checks.js";
import type { Core } from "../../core/core.js";
import type { HttpRequest, HttpResponse } from "../../http/messages.js";
import type { Emulator } from "../emulator.js";

/** One call of the control plane, as it is described and carried out. */
export interface Call extends CallShape {
  /** The schema of its JSON body; `null` where it has none. */
  readonly body: z.ZodMiniType | null;
  /** @throws RangeError for a body that does not fit; nothing has then happened. */
  readonly carryOut: (asked: Asked<unknown>) => unknown;
}

export interface CallShape {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_emulator`. A part in braces stands for any text that is not empty. */
  readonly path: string;
  /** What it does, as one sentence. */
  readonly summary: string;
  readonly status: 200 | 201 | 204;
  /** What it answers: the schema of its JSON, or the media type of what is no JSON. `null` for nothing. */
  readonly answers: z.ZodMiniType | string | null;
  /** The errors that it can end in, besides those that every call has. */
  readonly errors?: readonly (404 | 409)[];
}

/** What a call is carried out with. */
export interface Asked<Body> {
  readonly emulator: Emulator;
  readonly core: Core;
  readonly request: HttpRequest;
  /** What the braces of the path stand for, in their order. */
  readonly params: readonly string[];
  readonly body: Body;
}

/** A call without a body. What it returns is the answer's JSON, or the whole answer. */
export function call(
  shape: CallShape,
  carryOut: (asked: Asked<null>) => HttpResponse | object | undefined | Promise<object | undefined>,
): Call {
  return { ...shape, body: null, carryOut: (asked) => carryOut({ ...asked, body: null }) };
}

/** A call with a body of JSON, which is checked before anything happens. */
export function callWithBody<Body>(
  shape: CallShape,
  body: z.ZodMiniType<Body>,
  carryOut: (asked: Asked<Body>) => object | undefined | Promise<object | undefined>,
): Call {
  return {
    ...shape,
    body,
    carryOut: (asked) => carryOut({ ...asked, body: parseOption("body", body, asked.body) }),
  };
}

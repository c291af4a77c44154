import * as z from "zod/mini";
import { type Call, call } from "../call.js";

/** What the control plane says of these calls, and of itself. */
export function descriptionCalls(described: readonly Call[]): Call[] {
  const itself = call(
    {
      method: "GET",
      path: "/openapi.json",
      summary: "This description.",
      status: 200,
      answers: z.looseObject({ openapi: z.string() }),
    },
    async ({ request }) => {
      const { describeCalls } = await import("../describe-calls.js");
      return describeCalls([...described, itself], request.origins.service);
    },
  );
  return [itself];
}

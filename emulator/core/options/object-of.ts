import * as z from "zod/mini";
import { adviceFor } from "./unknown-name.js";

/** The schema of an object with these fields and no others. */
export function objectOf<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? adviceFor(issue.keys[0] ?? "", Object.keys(shape))
        : "be an object",
  });
}

import { isModel, isTaskType } from "../contract/models.js";
import { inputFields } from "../contract/request-rules.js";
import type { Transport } from "../http/transport.js";
import { nearestName } from "../shared/options.js";

/** A longer name is no misspelled field, and may be anything: it is not logged. */
const LONGEST_NAME = 40;

/**
 * Warns of every field of `input` that looks like a misspelled one. The service accepts unknown fields and ignores them,
 * so that the request is sent as it is.
 */
export function warnOfInputTypos(
  body: string,
  { warn, redactor }: Pick<Transport, "warn" | "redactor">,
): void {
  const { model, task_type: taskType, input } = Object(JSON.parse(body));
  if (!isModel(model) || !isTaskType(taskType)) return;
  const known = inputFields(model, taskType);
  for (const name of Object.keys(Object(input))) {
    if (known.includes(name) || name.length > LONGEST_NAME || redactor.text(name) !== name) continue;
    const meant = nearestName(name, known);
    // A name such as `prompt_id` extends a known one on purpose.
    if (meant === null || `_${name}_`.includes(`_${meant}_`)) continue;
    warn(`Unknown field \`input.${name}\`, perhaps \`${meant}\`: it is sent, and the service ignores it.`);
  }
}

import { sentence } from "../../../src/contract/message.js";
import type { Call } from "./calls.js";
import { formatCount } from "./format.js";

/** What is wrong, by the name of the field. */
export type FieldMessages = Readonly<Record<string, string>>;

/** The name of a field for everything that is about no other field of its form. */
export const ANY_FIELD = "*";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control => "labels" in element && "name" in element && element.name !== "",
  );
}

/** The text of a field's label, without the sign of a required one. */
function labelOf({ labels }: Control): string {
  return labels?.[0]?.firstChild?.textContent ?? "";
}

/** Checks the fields by their own limits. */
export function invalidFields(form: HTMLFormElement): FieldMessages {
  const messages: Record<string, string> = {};
  for (const control of controlsOf(form)) {
    const problem = problemOf(control);
    if (problem !== null) messages[control.name] = `${labelOf(control)} ${problem}.`;
  }
  return messages;
}

function problemOf(control: Control): string | null {
  const { validity, required, value } = control;
  if (!validity.badInput && required && value.trim() === "") return "is required";
  if (!(control instanceof HTMLInputElement) || control.type !== "number")
    return validity.valid ? null : `must have at most ${control.getAttribute("maxlength")} characters`;
  // With a limit as large as a seed's, browsers accept fractions.
  const isFraction = control.step === "1" && value !== "" && !Number.isInteger(Number(value));
  return validity.valid && !isFraction ? null : `must be ${numberRule(control)}`;
}

function numberRule({ min, max, step }: HTMLInputElement): string {
  const kind = step === "1" ? "a whole number" : "a number";
  const steps = step === "1" || step === "any" ? "" : ` in steps of ${step}`;
  const [least, most] = [min, max].map((limit) => formatCount(Number(limit)));
  if (max === "") return min === "" ? kind : `${kind} of at least ${least}`;
  return min === "" ? `${kind} of at most ${most}` : `${kind} from ${least} to ${most}${steps}`;
}

/**
 * Puts the control plane's messages at the fields they are about, after the labels of these fields. What is about no field has
 * the name `""`.
 */
export function refusalMessages(form: HTMLFormElement | null, { error, issues }: Call): FieldMessages {
  if (error === null) return {};
  const labels = new Map(
    form === null ? [] : controlsOf(form).map((control) => [control.name, labelOf(control)] as const),
  );
  const messages: Record<string, string> = {};
  const rest: string[] = [];
  for (const { path, message } of issues) {
    const label = labels.get(path);
    if (label === undefined) rest.push(sentence(`\`${path}\` ${message}`));
    else messages[path] ??= sentence(`${label} ${message}`);
  }
  const restName = labels.has(ANY_FIELD) ? ANY_FIELD : "";
  if (Object.keys(messages).length === 0) messages[restName] = error;
  else if (rest.length > 0) messages[restName] = rest.join(" ");
  return messages;
}

export function focusFirst(form: HTMLFormElement | null, names: readonly string[]): void {
  const control = form && controlsOf(form).find(({ name }) => names.includes(name));
  control?.focus();
}

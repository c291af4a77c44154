import { useState } from "preact/hooks";

/** The texts of a form's fields, and the values of the emulator that they started from. */
interface Fields<Values> {
  readonly initial: Values;
  readonly values: Values;
}

type Texts = Readonly<Record<string, string>>;

/**
 * The texts of a form's fields, by the names that the control plane has for them. `bind` connects a control to one.
 *
 * @param initial - The values of the emulator. If one of them changes, its field shows the new value.
 */
export function useFields<Values extends Texts>(initial: Values) {
  const [last, setFields] = useState<Fields<Values>>({ initial, values: initial });
  const fields = followed(last, initial);
  if (fields !== last) setFields(fields);
  const bind = <Name extends keyof Values & string>(name: Name) => ({
    name,
    value: fields.values[name],
    onChange: (value: Values[Name]) =>
      setFields((latest) => ({ ...latest, values: { ...latest.values, [name]: value } })),
  });
  return { values: fields.values, bind };
}

/** Other fields keep what was typed into them. */
export function followed<Values extends Texts>(last: Fields<Values>, initial: Values): Fields<Values> {
  const changed = Object.entries(initial).filter(([name, value]) => last.initial[name] !== value);
  if (changed.length === 0) return last;
  return { initial, values: { ...last.values, ...Object.fromEntries(changed) } };
}

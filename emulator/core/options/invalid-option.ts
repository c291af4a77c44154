/** The error about an option: its name, the rule, and what came instead. */
export function invalidOption(name: string, rule: string, got: unknown): RangeError {
  return new RangeError(`Expected \`${name}\` to ${rule}, got ${show(got)}`);
}

function show(value: unknown): string {
  const text =
    typeof value === "string"
      ? value
      : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each));
  return `\`${(text ?? String(value)).slice(0, 100)}\``;
}

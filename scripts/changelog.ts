/** What a changeset says, as its entry in `CHANGELOG.md`. Its commit is left out: it tells a user nothing. */
export function getReleaseLine({ summary }: { summary: string }): string {
  const [first, ...rest] = summary.trim().split("\n");
  return [`- ${first}`, ...rest.map((line) => (line.trim() === "" ? "" : `  ${line.trimEnd()}`))].join("\n");
}

/** Nothing: no package of this repository depends on another. */
export function getDependencyReleaseLine(): string {
  return "";
}

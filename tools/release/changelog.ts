/** The text of a changeset as an entry of `CHANGELOG.md`, without its commit. */
export function getReleaseLine({ summary }: { summary: string }): string {
  const [first, ...rest] = summary.trim().split("\n");
  return [`- ${first}`, ...rest.map((line) => (line.trim() === "" ? "" : `  ${line.trimEnd()}`))].join("\n");
}

/** Returns an empty string: no package of this repository depends on another. */
export function getDependencyReleaseLine(): string {
  return "";
}

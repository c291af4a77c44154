import type { Metafile } from "esbuild";

/** An entry and the chunks that it imports statically. */
export function eagerlyLoaded({ outputs }: Metafile, entry: string): Set<string> {
  const eager = new Set<string>();
  const load = (file: string) => {
    const output = outputs[file];
    if (output === undefined || eager.has(file)) return;
    eager.add(file);
    for (const { path, kind } of output.imports) if (kind === "import-statement") load(path);
  };
  load(entry);
  return eager;
}

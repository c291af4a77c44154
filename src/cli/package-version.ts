import { createRequire } from "node:module";

/** The version of this package, which finds itself by its name wherever its built files are. */
export function packageVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)("async-music/package.json");
  return version;
}

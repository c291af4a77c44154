import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { decode, encode } from "@jridgewell/sourcemap-codec";

/** The scripts of the command line: the package does not have their sources. */
const OF_COMMANDS =
  "dist/{batch-*,certify-*,cli,csv-*,drift-*,emulator-????????,journal-*,json-lines-*,library-*,relay-*,run-*,server-*}.js";

/** Removes the maps that lead to no source, and the comments that name them. */
export function removeMaps(): void {
  for (const file of globSync(OF_COMMANDS)) {
    rmSync(`${file}.map`);
    writeFileSync(file, readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"));
  }
}

/**
 * Reduces the maps of the scripts to what stack traces and breakpoints use, for 0.07 MB less to download: of the positions on
 * a line, only those where another line of the source begins.
 */
export function thinMaps(): void {
  for (const file of globSync("dist/*.js.map")) {
    const map = JSON.parse(readFileSync(file, "utf8"));
    const mappings = decode(map.mappings).map((segments) => {
      let last = "";
      return segments.flatMap(([column, source, line, sourceColumn]) => {
        const at = `${source}:${line}`;
        if (source === undefined || line === undefined || sourceColumn === undefined || at === last)
          return [];
        last = at;
        return [[column, source, line, sourceColumn] as [number, number, number, number]];
      });
    });
    writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(mappings) }));
  }
}

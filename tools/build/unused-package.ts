/** Replaces packages that a bundled library imports and our calls never use: `invoice-libraries.ts` lists them. */
// biome-ignore lint/style/noDefaultExport: what those packages export
export default function unused(): never {
  throw new Error("This package is not in the bundle: see tools/build/minify-libraries.ts");
}

export { unused as cbc, unused as ecb };

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Metafile, Plugin } from "esbuild";

/** Writes the license of every bundled package, and the address of its source. */
export function thirdPartyLicenses(path: string): Plugin {
  return {
    name: "third-party-licenses",
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        if (metafile === undefined) return;
        const sections = await Promise.all(bundledPackages(metafile).map(describe));
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, [preface, ...sections].join(`\n\n${"=".repeat(80)}\n\n`));
      });
    },
  };
}

const preface =
  "async-music itself is under the MIT license (see LICENSE). The files of this folder also hold code of the\n" +
  "packages below. Bundling leaves out what is not used, and changes nothing else. Each is under its own license. Of fonts, these files hold only\n" +
  "the characters that invoices print.";

/** The files of each package in the output. Imports that the bundler dropped are not distributed. */
function bundledPackages({ outputs }: Metafile): [name: string, files: string[]][] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  const names = [...new Set(files.map(packageOf))].filter((name) => name !== "").sort();
  return names.map((name) => [name, files.filter((file) => packageOf(file) === name).sort()]);
}

function packageOf(file: string): string {
  return file.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? "";
}

async function describe([name, files]: [name: string, files: string[]]): Promise<string> {
  const folder = `node_modules/${name}`;
  const { version, license, author, repository } = JSON.parse(
    await readFile(`${folder}/package.json`, "utf8"),
  );
  const source = typeof repository === "object" ? repository.url : repository;
  const directories = [source?.replace(/^git\+/, ""), `npm's ${name}@${version}`].filter(
    (directory) => directory !== undefined,
  );
  const title = `${name} ${version} (${license})\nSource: ${directories.join(", and ")}`;
  const parts = [
    title,
    (await licenseIn(folder)) ?? `Without a license file; by ${author}`,
    ...(await noticesIn(files)),
  ];
  return parts.map((part) => part.trim()).join("\n\n");
}

/** Comments that name a copyright holder. Bundling drops them, and the package's license may name another holder. */
async function noticesIn(files: string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const comments = texts.flatMap((text) => text.match(/\/\*[\s\S]*?\*\/|(?:^\/\/.*\n)+/gm) ?? []);
  return [...new Set(comments.filter((comment) => /copyright (?:\(c\)|©|\d)/i.test(comment)))];
}

/** The license file of a package, under whichever of its usual names, or undefined. */
async function licenseIn(folder: string): Promise<string | undefined> {
  const name = (await readdir(folder)).find((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file));
  return name === undefined ? undefined : readFile(`${folder}/${name}`, "utf8");
}

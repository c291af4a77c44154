import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createProject, type Project } from "../package/outside.js";
import { environment } from "./support/environment.js";

// Runs the examples as a user does: copied out of the installed package, with the packages that the page of the examples names.

const page = readFileSync("examples/README.md", "utf8");

/** The packages that the page says to install. */
const named = new Set(
  [...page.matchAll(/`npm install (?:--save-dev )?([^`]+)`/g)].flatMap(([, names = ""]) =>
    names.split(" ").map((name) => name.replace(/(?<=.)@\d+$/, "")),
  ),
);

let project: Project;
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  project = createProject([...named, "@types/node", "@types/pg"]);
  cpSync(join(project.folder, "node_modules/async-music/examples"), join(project.folder, "examples"), {
    recursive: true,
  });
  const bin = join(project.folder, "node_modules/.bin");
  // Without npm's and Vitest's variables, which would lead to this repository.
  const { HOME, PATH } = environment;
  env = { HOME, NO_COLOR: "1", PATH: `${bin}:${resolve("node_modules/.bin")}:${PATH}` };
});

afterAll(() => project.remove());

/** Lines that each command of the page writes. */
const commands: [command: string, lines: RegExp[]][] = [
  [
    "node examples/batch.ts",
    [/https:/, /^wild: left out, the ceiling is reached$/m, /^965 credits are left\.$/m],
  ],
  ["node examples/continuation.ts", [/^Joined: songs\/.+\.mp3$/m, /^It cost 16 credits\.$/m]],
  ["node examples/demo.ts", [/rain-in-lisbon.*\.mp3$/m, /^It cost 10 credits .* 90 are left\.$/m]],
  ["node examples/lyrics-to-song.ts", [/^\[Chorus\]$/m, /^songs\/.+\.mp3$/m]],
  ["node examples/tanstack-ai/main.ts", [/ cost 10 credits$/m, /^RUN_FINISHED$/m]],
  ["vitest run --root examples/testing", [/Tests {2}\d+ passed/]],
  ["node --test --test-reporter=tap examples/testing/node-test.mjs", [/^# pass 3$/m, /^# fail 0$/m]],
  [
    'async-music emulator -- node --test --test-reporter=tap "examples/testing/shared/*.test.mjs"',
    [/^# pass 4$/m, /^# fail 0$/m],
  ],
  ["async-music emulator -- python3 examples/python/song.py", [/^990 credits are left\.$/m]],
];

test("every program of the top folder is among the commands", () => {
  const programs = globSync("*.ts", { cwd: "examples" }).map((name) => `node examples/${name}`);
  expect(commands.map(([command]) => command)).toEqual(expect.arrayContaining(programs));
});

describe("in a copy outside of the repository, with the packed package", () => {
  test.each(commands)("`%s` runs to its end", async (command, lines) => {
    const cwd = project.folder;
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd, env });
    for (const line of lines) expect(stdout).toMatch(line);
  });

  // Each waits for half a minute.
  test.concurrent.for(["hono/main.ts", "express/main.mjs"])(
    "the server %s creates a song",
    async (name, its) => {
      const program = join(project.folder, "examples", name);
      const server = spawn(process.execPath, [program], { cwd: project.folder, env: { ...env, PORT: "0" } });
      its.onTestFinished(async () => {
        server.kill("SIGKILL");
        await once(server, "exit");
      });
      const [output] = await once(server.stdout, "data");
      const song = `http://127.0.0.1:${/\d+/.exec(String(output))?.[0]}/songs/1`;
      const body = JSON.stringify({ description: "rain in Lisbon" });
      expect((await fetch(song, { method: "PUT", body })).status).toBe(202);
      const status = async () => (await fetch(song)).json();
      await vi.waitFor(async () => expect(await status()).toMatchObject({ status: "ready" }), 60_000);
    },
  );

  test("every other program compiles, and imports no package that the page does not name", async () => {
    // The settings of the page of the runtimes, with those that the page of the examples adds.
    const [, settings = ""] =
      /```json\n(\{\n {2}"compilerOptions".*?)```/s.exec(readFileSync("docs/runtimes.md", "utf8")) ?? [];
    const [, added = ""] = /To compile the copied examples, add (.*?) to the/s.exec(page) ?? [];
    const compilerOptions = {
      ...JSON.parse(settings).compilerOptions,
      ...JSON.parse(`{${[...added.matchAll(/`([^`]+)`/g)].map(([, setting]) => setting).join(",")}}`),
      skipLibCheck: true,
    };
    // `test/runners/next.test.ts` compiles the pages.
    const include = ["examples/**/*.ts"];
    const file = join(project.folder, "tsconfig.json");
    writeFileSync(file, JSON.stringify({ compilerOptions, include, exclude: ["examples/next"] }));
    const compile = promisify(execFile)(resolve("node_modules/.bin/tsc"), ["--project", file]);
    const { stdout } = await compile.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });
});

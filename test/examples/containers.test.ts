import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { folderOfFile } from "../support/folder.js";
import { createNetwork, missingForContainers, type Network } from "./support/network.js";

interface Service {
  command: string;
  environment: Record<string, string>;
  init?: boolean;
  healthcheck: { test: string[] };
}

const folder = folderOfFile();

beforeAll(async () => {
  await installInto(join(folder, "node_modules"));
});

/** Where npx finds the package without a registry. */
async function installInto(installed: string): Promise<void> {
  await mkdir(join(installed, ".bin"), { recursive: true });
  for (const path of ["package.json", "dist"])
    await cp(path, join(installed, "async-music", path), { recursive: true });
  for (const name of ["ky", "zod"]) await symlink(resolve("node_modules", name), join(installed, name));
  await symlink("../async-music/dist/cli.js", join(installed, ".bin/async-music"));
}

/** Stands for the user's test runner: it checks the health of its emulator. */
const RUNNER = `#!/bin/sh
exec node --eval 'fetch(process.env.ASYNC_MUSIC_BASE_URL + "/_emulator/health").then(({ status }) => console.log(status))'
`;

test("the commands of the CI job in the guide run the tests against an emulator", async () => {
  const [, shown = ""] =
    /^```yaml\n([\s\S]*?)^```$/m.exec(await readFile("docs/other-languages.md", "utf8")) ?? [];
  const steps: { run?: string }[] = parse(shown).jobs.test.steps;
  const commands = steps.flatMap(({ run }) => run ?? []);
  expect(commands).toEqual(["pip install pytest", expect.stringMatching(/^npx /)]);
  await writeFile(join(folder, "pip"), "#!/bin/sh\n", { mode: 0o755 });
  await writeFile(join(folder, "pytest"), RUNNER, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env["PATH"]}`, HOME: folder };
  const output = execFileSync("sh", ["-euc", commands.join("\n")], { cwd: folder, env, encoding: "utf8" });
  expect(output).toBe("200\n");
});

describe("compose.yaml", () => {
  const missing = missingForContainers();
  let services: { emulator: Service; tests: Service };
  let network: Network;
  let emulator: ReturnType<Network["start"]>;

  /** Starts the emulator, beside a container for its tests and one of a stranger. */
  beforeAll(async () => {
    if (missing !== null) return;
    services = parse(await readFile("examples/containers/compose.yaml", "utf8")).services;
    network = await createNetwork(folder, ["emulator", "tests", "stranger"], {
      "attacker.example": "emulator",
    });
    expect(await checkHealth()).toBe(1);
    emulator = network.start("emulator", commandOf(services.emulator));
    const ended = emulator.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
    ended.catch(() => {});
    while ((await Promise.race([ended, checkHealth()])) !== 0);
  });

  beforeEach(({ skip }) => skip(missing !== null, `${missing}`));

  afterAll(() => network?.close());

  /** Compose splits a command as a shell does: without quotes, at its spaces. Its `init` is tini. */
  function commandOf({ command, environment, init = false }: Service) {
    return { args: [...(init ? ["tini", "--"] : []), ...command.split(" ")], env: environment };
  }

  async function checkHealth(): Promise<number | null> {
    const [, ...args] = services.emulator.healthcheck.test;
    return (await network.run("emulator", { args })).status;
  }

  const SEND = `
const { url, ...options } = JSON.parse(process.argv[1]);
require("node:http").request(url, options, async (response) => {
  const body = await require("node:stream/consumers").json(response);
  console.log(JSON.stringify({ status: response.statusCode, body }));
}).end();`;

  async function send(container: string, url: string, headers: Record<string, string> = {}) {
    const options = JSON.stringify({ url, headers, method: "GET" });
    const { stdout, stderr } = await network.run(container, { args: ["node", "--eval", SEND, options] });
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  }

  test("the tests drive the emulator of another container, and pass", async () => {
    const command = { ...commandOf(services.tests), folder: resolve("examples/containers") };
    const { status, stdout } = await network.run("tests", command);
    expect([status, stdout]).toEqual([0, expect.stringContaining("pass 2")]);
    const { body } = await send("tests", "http://emulator:4010/_emulator/state");
    expect(body.tasks[0].output.result[0].audio_url).toMatch(/^http:\/\/emulator:4010\/audio\//);
  });

  test.each<[url: string, headers: Record<string, string>, flag: string]>([
    ["http://attacker.example:4010", {}, "`--allow-host attacker.example`"],
    ["http://10.0.0.2:4010", {}, "`--allow-host 10.0.0.2`"],
    ["http://10.0.0.2:4010", { Host: "localhost:4010" }, "`--allow-host localhost`"],
    [
      "http://10.0.0.2:4010",
      { Host: "emulator.attacker.example" },
      "`--allow-host emulator.attacker.example`",
    ],
    ["http://emulator:4010", { Origin: "http://attacker.example:4010" }, "`--allow-host`"],
  ])("another container cannot drive it at %s with %j, but check its health", async (url, headers, flag) => {
    const { status, body } = await send("stranger", `${url}/_emulator/state`, headers);
    expect([status, body.message]).toEqual([403, expect.stringContaining(flag)]);
    const health = await send("stranger", `${url}/_emulator/health`, headers);
    expect(health).toEqual({ status: 200, body: { status: "ok", clock: "real" } });
  });

  test("SIGTERM to the container's first process ends the emulator with status 0", async () => {
    expect(await checkHealth()).toBe(0);
    emulator.stop();
    expect(await emulator.ended).toMatchObject({ status: 0, stdout: expect.stringContaining("Ctrl+C") });
    expect(await checkHealth()).toBe(1);
  });
});

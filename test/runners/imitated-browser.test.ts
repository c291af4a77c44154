import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// The SDK and an emulator in real environments that imitate a browser, as a component test uses them.

const installed = resolve("tools/dom/node_modules");
const folder = resolve(".reports/imitated-browser");

const ENVIRONMENTS = ["jsdom", "happy-dom"];

/** A component test: an order in an emulator, and a client with a real key. */
const COMPONENT_TEST = `
import { AsyncMusic, InvalidOptionError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";

test("the page is imitated", () => {
  expect(navigator.userAgent.toLowerCase()).toContain(process.env.IMITATED_BY);
  expect(document.createElement("p")).toBeInstanceOf(window.HTMLElement);
});

test("an emulator's client creates a song and downloads it", async () => {
  await using emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const request = { model: "provider_b", task_type: "music", input: { prompt: "rain" } };
  const task = await client.tasks.run(request);
  expect(task.status).toBe("success");
  const download = await client.audio.download(task.output.result[0]);
  expect((await download.arrayBuffer()).byteLength).toBeGreaterThan(1000);
});

test("a real key is refused with a message that names test environments", () => {
  const options = { apiKey: "sk_real_1", baseUrl: "https://music.example" };
  let error;
  try {
    new AsyncMusic(options);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(InvalidOptionError);
  expect(error.option).toBe("dangerouslyAllowBrowser");
  expect(error.message).toContain("In a test environment");
  expect(error.message).toContain("jsdom or happy-dom");
  expect(error.message).not.toContain(options.apiKey);
  expect(new AsyncMusic({ ...options, dangerouslyAllowBrowser: true })).toBeInstanceOf(AsyncMusic);
});
`;

const remove = () => rmSync(folder, { recursive: true, force: true });

beforeAll(() => {
  remove();
  const modules = join(folder, "node_modules");
  mkdirSync(modules, { recursive: true });
  symlinkSync(resolve("."), join(modules, "async-music"));
  symlinkSync(join(installed, "vitest"), join(modules, "vitest"));
  writeFileSync(join(folder, "component.test.mjs"), COMPONENT_TEST);
});

afterAll(remove);

test.each(ENVIRONMENTS)("in %s, an emulator's client works, and a real key is refused", (environment) => {
  // Without the variables of this Vitest.
  const { PATH, HOME } = process.env;
  const IMITATED_BY = environment.replace("-", "");
  const env = { PATH, HOME, CI: "1", IMITATED_BY };
  const report = join(folder, `${environment}.json`);
  const parameters = ["run", `--environment=${environment}`, "--reporter=json", `--outputFile=${report}`];
  const vitest = [join(installed, "vitest/vitest.mjs"), ...parameters];
  const { status, stdout, stderr } = spawnSync(process.execPath, vitest, {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  const tests = readFileSync(report, "utf8");
  expect(status, stdout + stderr + tests).toBe(0);
  expect(JSON.parse(tests)).toMatchObject({ numPassedTests: 3, numTotalTests: 3 });
});

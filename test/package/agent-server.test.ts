import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test } from "vitest";
import { createProject } from "./outside.js";

interface Input {
  readonly name?: string;
  readonly value?: string;
}

test("the command of server.json serves the tools of the package, without any other package", async () => {
  const project = createProject();
  onTestFinished(() => project.remove());
  const emulator = createEmulator({ credits: 100, clock: "real" });
  const { url, close } = await serve(emulator);
  onTestFinished(close);

  const values: Readonly<Record<string, string>> = {
    "--max-credits": "20",
    "--journal": join(project.folder, "orders"),
    "--out": project.folder,
    ASYNC_MUSIC_BASE_URL: url,
    ASYNC_MUSIC_API_KEY: emulator.apiKey,
  };
  const filledIn = ({ name, value = values[name ?? ""] ?? "" }: Input) =>
    name === undefined ? [value] : [name, value];
  const [server] = JSON.parse(readFileSync("server.json", "utf8")).packages;
  const transport = new StdioClientTransport({
    command: server.runtimeHint,
    args: [
      ...server.runtimeArguments.flatMap(filledIn),
      `${server.identifier}@${server.version}`,
      ...server.packageArguments.flatMap(filledIn),
    ],
    env: {
      ...Object.fromEntries(server.environmentVariables.map((each: Input) => filledIn(each))),
      PATH: process.env["PATH"] ?? "",
      npm_config_offline: "true",
    },
    cwd: project.folder,
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getServerVersion()).toEqual({ name: "async-music", version: server.version });
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  const balance = await client.callTool({ name: "balance", arguments: {} });
  expect(balance.structuredContent).toMatchObject({ available: 100, max_credits: 20 });
  const refused = await client.callTool({ name: "make_song", arguments: { order: "rain", wrong: 1 } });
  expect(refused.isError).toBe(true);
});

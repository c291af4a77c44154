import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";
import type { Exchange } from "../../emulator/dashboard/api.js";
import { curlOf, testOf } from "../../emulator/dashboard/views/requests/exchange-code.js";
import { alias } from "../../vitest.config.js";
import { VALID } from "../emulator/support/service.js";
import { runVitest } from "../support/run-vitest.js";

/** Sends each kind of request to an emulator, and returns the exchanges as the dashboard receives them. */
async function exchanges(): Promise<Exchange[]> {
  await using emulator = createEmulator({ seed: 3, credits: 25 });
  const call = async (method: string, path: string, body?: unknown, key = emulator.apiKey) => {
    const headers = { "x-api-key": key, "Content-Type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await emulator.fetch(emulator.url + path, init).catch(() => null);
    return response?.json().catch(() => null);
  };
  emulator.providers.provider_a.next({ outcome: "failure" });
  const { data } = await call("POST", "/api/v1/task", VALID.song);
  await call("GET", `/api/v1/task/${data.task_id}`);
  await call("GET", "/api/v1/task/00000000-0000-4000-8000-000000000000");
  await call("GET", "/api/v1/account/balance", undefined, "emu_other");
  await call("POST", "/api/v1/task", { model: "provider_a", task_type: "lyrics", input: {} });
  emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
  await call("POST", "/api/v1/task", VALID.lyrics);
  emulator.faults.add({ fault: { kind: "malformed" } });
  await call("GET", "/api/v1/account/usage");
  emulator.changeLimits({ requests: 1 });
  await call("GET", "/api/v1/account/usage");
  emulator.changeLimits({ requests: 120 });
  await call("POST", "/api/v1/task", VALID.song);
  await call("POST", "/api/v1/task", VALID.song);
  await call("GET", "/api/v1/nothing");
  return await Promise.all(
    emulator.requests.map(
      (_, index) => call("GET", `/_emulator/exchanges/${index + 1}`) as Promise<Exchange>,
    ),
  );
}

test("a copied test passes against an emulator, for each kind of response", async () => {
  const all = await exchanges();
  expect(all.map(({ status }) => status)).toEqual([202, 200, 404, 401, 400, null, 200, 429, 202, 402, 404]);
  const folder = mkdtempSync(join(tmpdir(), "async-music-copied-"));
  try {
    for (const [index, exchange] of all.entries())
      writeFileSync(join(folder, `${index}.test.ts`), testOf(exchange, 3, index === 1 ? VALID.song : null));
    const errors = await runVitest(folder, { alias });
    expect(new Map([...errors].filter(([, messages]) => messages.length > 0))).toEqual(new Map());
    const names = all.map(({ method, path, status }) => `${method} ${path}: ${status ?? "no response"}`);
    expect([...errors.keys()]).toEqual(expect.arrayContaining(names));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a copied curl command sends the same request, with the key from the environment", async () => {
  const body = `{"input":"it's $HOME"}`;
  const headers = { "x-api-key": "****1234", "content-type": "application/json", host: "music.test" };
  const command = curlOf({
    method: "POST",
    url: "https://music.test/api/v1/task",
    request_headers: headers,
    request_body: body,
  });
  const script = command.replace(/^curl/, 'printf "%s\\n"');
  const args = execFileSync("sh", ["-c", script], {
    encoding: "utf8",
    env: { ASYNC_MUSIC_API_KEY: "emu_1" },
  });
  expect(args.trim().split("\n")).toEqual([
    "-X",
    "POST",
    "https://music.test/api/v1/task",
    "-H",
    "x-api-key: emu_1",
    "-H",
    "content-type: application/json",
    "--data-binary",
    body,
  ]);
});

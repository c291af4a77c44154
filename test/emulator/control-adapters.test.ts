import { once } from "node:events";
import { request } from "node:http";
import { createEmulator, type Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { serve } from "async-music/emulator/node";
import { setupServer } from "msw/node";
import { afterEach, describe, expect, test } from "vitest";
import { controlled, serviceOf } from "./support/service.js";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

const ADAPTERS: Record<string, (emulator: Emulator) => Promise<string>> = {
  async MSW(emulator) {
    const server = setupServer(...emulatorHandlers(emulator));
    server.listen();
    endings.push(() => server.close());
    return emulator.url;
  },
  "a port": listen,
};

async function listen(emulator: Emulator): Promise<string> {
  const { url, close } = await serve(emulator);
  endings.push(close);
  return url;
}

describe.each(Object.entries(ADAPTERS))("the control plane through %s", (_, adapter) => {
  const open = async () => {
    const emulator = createEmulator({ credits: 100 });
    const url = await adapter(emulator);
    return controlled(serviceOf(emulator, { fetch: globalThis.fetch, url }));
  };

  test("makes an account, buys credits for it, moves time and shows it all", async () => {
    const { control } = await open();
    const { body: account } = await control("POST", "/accounts", { credits: 5 });
    const top_up = await control("POST", `/accounts/${account.account_id}/top-ups`, {
      usd: 1,
      method: "crypto",
    });
    expect(top_up.status).toBe(201);
    expect((await control("POST", "/clock/advance", { seconds: 90 })).body.now).toBe(
      "2026-01-01T00:01:30.000Z",
    );
    const { accounts } = (await control("GET", "/state")).body;
    expect(accounts[1].balance.total).toBe(105);
    expect((await control("DELETE", "/faults")).status).toBe(204);
    expect((await control("POST", "/accounts", { credits: -1 })).body.error_code).toBe(
      "invalid_request_body",
    );
  });
});

test("on a port, a Host or an Origin that is foreign is refused, and nothing has changed", async () => {
  const emulator = createEmulator();
  const { port } = new URL(await listen(emulator));
  const ask = async (headers: Record<string, string>) => {
    const asked = request({ port, method: "POST", path: "/_emulator/accounts", headers });
    asked.end();
    const [response] = await once(asked, "response");
    response.resume();
    return response.statusCode;
  };
  const before = JSON.stringify(emulator.snapshot());
  for (const headers of [
    { Host: "evil.example" },
    { Host: `evil.example:${port}` },
    { Origin: "null" },
    { Origin: "http://evil.example" },
    { Origin: `https://127.0.0.1:${port}` },
    { Host: `localhost:${port}`, Origin: "http://localhost:3000" },
  ]) {
    expect([headers, await ask(headers)]).toEqual([headers, 403]);
  }
  expect(JSON.stringify(emulator.snapshot())).toBe(before);
  for (const headers of [{ Host: `localhost:${port}`, Origin: `http://localhost:${port}` }, {}]) {
    expect(await ask(headers)).toBe(201);
  }
});

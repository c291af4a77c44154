import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { get, request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { createEmulator } from "async-music/emulator";
import { type ServeOptions, serve } from "async-music/emulator/node";
import { expect, onTestFinished, test } from "vitest";

/** An emulator on a free port of all addresses. Its methods resolve with the status of a response. */
async function listen(options: ServeOptions = {}) {
  const emulator = createEmulator({ clock: "virtual" });
  const server = await serve(emulator, { host: "0.0.0.0", ...options });
  onTestFinished(() => server.close());
  const { port } = new URL(server.url);
  const send = async (path: string, headers: Record<string, string>, more: object = {}) => {
    const sent = request({ host: "127.0.0.1", port, path, headers, ...more });
    sent.end();
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  };
  const key = { "x-api-key": emulator.apiKey };
  return {
    emulator,
    port,
    send,
    control: (headers: Record<string, string>, more?: object) => send("/_emulator/state", headers, more),
    createAccount: (headers: Record<string, string>) =>
      send("/_emulator/accounts", headers, { method: "POST" }),
    balance: (headers: Record<string, string>) => send("/api/v1/account/balance", { ...key, ...headers }),
  };
}

/** Sets the addresses of all further connections that a server accepts. */
function connectFrom(remoteAddress: string | undefined, localAddress: string | null = "10.0.0.1") {
  const onSocket = (message: unknown) => {
    const { socket } = Object(message);
    Object.defineProperties(socket, {
      remoteAddress: { value: remoteAddress },
      localAddress: { value: localAddress ?? undefined },
    });
  };
  subscribe("net.server.socket", onSocket);
  onTestFinished(() => void unsubscribe("net.server.socket", onSocket));
}

test.each<[remote: string | undefined, local?: null]>([
  ["10.0.0.7"],
  ["::ffff:10.0.0.7"],
  ["2001:db8::7"],
  ["2001:db8::1"],
  ["1127.0.0.1"],
  ["12.7.0.0"],
  [undefined],
  [undefined, null],
])("from %s, no spoofed Host reaches the control plane, and the API responds", async (...addresses) => {
  const { control, createAccount, balance, emulator, port } = await listen();
  const before = JSON.stringify(emulator.snapshot());
  connectFrom(...addresses);
  for (const name of ["localhost", `localhost:${port}`, "127.0.0.1", `127.0.0.1:${port}`, "[::1]", "music"]) {
    expect([name, await control({ Host: name })]).toEqual([name, 403]);
    expect([name, await createAccount({ Host: name, Origin: `http://${name}` })]).toEqual([name, 403]);
  }
  expect(JSON.stringify(emulator.snapshot())).toBe(before);
  expect(await balance({ Host: "music:4010" })).toBe(200);
});

test("from another machine, a request without a Host does not reach the control plane", async () => {
  const { port } = await listen();
  connectFrom("10.0.0.7");
  const socket = connect(Number(port), "127.0.0.1");
  socket.write("GET /_emulator/state HTTP/1.0\r\n\r\n");
  const response = await text(socket);
  expect(response).toMatch(/^HTTP\/1\.1 403 /);
  expect(response).toContain("--allow-host");
});

test("another machine that names the address of the port does not reach the control plane", async () => {
  const { control, port } = await listen({ host: "127.0.0.1" });
  connectFrom("10.0.0.7");
  expect(await control({ Host: `127.0.0.1:${port}` })).toBe(403);
});

const OWN_ADDRESSES = ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "10.0.0.1"];

test.each(OWN_ADDRESSES)(
  "from this machine's own address %s, the control plane responds",
  async (address) => {
    const { control, createAccount } = await listen();
    connectFrom(address);
    expect(await control({ Host: "localhost" })).toBe(200);
    expect(await control({ Host: "music" })).toBe(403);
    expect(await createAccount({ Host: "localhost" })).toBe(201);
  },
);

test("the control plane responds at every address of this machine", async () => {
  const { control } = await listen();
  const addresses = Object.values(networkInterfaces()).flat();
  for (const { address, family } of addresses.filter((each) => each !== undefined)) {
    if (family === "IPv4") expect(await control({ Host: "localhost" }, { host: address })).toBe(200);
  }
  expect(await control({}, { host: "127.0.0.1", localAddress: "127.0.0.2" })).toBe(200);
});

test("with `allowHost`, other machines reach the control plane at these names only", async () => {
  const { control, createAccount } = await listen({ allowHost: ["Music", "localhost"] });
  connectFrom("10.0.0.7");
  for (const Host of ["music", "music:4010", "MUSIC:80", "localhost:4010"])
    expect(await control({ Host })).toBe(200);
  expect(await createAccount({ Host: "music:4010", Origin: "http://music:4010" })).toBe(201);
  for (const Host of ["127.0.0.1", "evil.example", "music.evil.example", "x-music"])
    expect([Host, await control({ Host })]).toEqual([Host, 403]);
  for (const Origin of ["null", "http://evil.example", "https://music:4010", "http://music:4011"])
    expect([Origin, await control({ Host: "music:4010", Origin })]).toEqual([Origin, 403]);
});

test("a refused host name is named with the flag that allows it", async () => {
  const { port } = await listen();
  const messageFor = async (Host: string, headers = {}) => {
    const sent = get({ host: "127.0.0.1", port, path: "/_emulator/state", headers: { Host, ...headers } });
    const [response] = await once(sent, "response");
    return JSON.parse(await text(response)).message;
  };
  expect(await messageFor("music:4010")).toContain("`--allow-host music`");
  expect(await messageFor("localhost", { Origin: "http://music" })).toContain("`--allow-host`");
  connectFrom("10.0.0.7");
  expect(await messageFor("Music.example:4010")).toContain("`--allow-host music.example`");
  expect(await messageFor("[fd00::1]:4010")).toContain("`--allow-host [fd00::1]`");
  expect(await messageFor("`rm`")).toContain("`--allow-host NAME`");
});

test("every machine and page may check the health, which gives no other rights", async () => {
  const { send, emulator } = await listen();
  const before = JSON.stringify(emulator.snapshot());
  connectFrom("10.0.0.7");
  for (const headers of [
    { Host: "10.0.0.1:4010" },
    { Host: "evil.example", Origin: "http://evil.example", "Sec-Fetch-Site": "cross-site" },
  ]) {
    expect(await send("/_emulator/health", headers)).toBe(200);
    expect(await send("/_emulator/health", headers, { method: "HEAD" })).toBe(200);
    expect(await send("/_emulator/health", headers, { method: "POST" })).toBe(403);
    for (const path of ["/health/", "/health/../state", "//health", "/healthy", "/"])
      expect([path, await send(`/_emulator${path}`, headers)]).toEqual([path, 403]);
    expect(await send("/_emulator/state", headers, { method: "HEAD" })).toBe(403);
  }
  expect(JSON.stringify(emulator.snapshot())).toBe(before);
});

test.each(["real", "virtual"] as const)("the health is that of a %s clock, and no secret", async (clock) => {
  const emulator = createEmulator({ clock, limits: { requests: 1 } });
  await using server = await serve(emulator);
  emulator.faults.add({ fault: { kind: "disconnect", when: "before" } });
  for (let round = 0; round < 3; round++) {
    const response = await fetch(`${server.url}/_emulator/health`, {
      headers: { "x-api-key": emulator.apiKey },
    });
    expect(await response.json()).toEqual({ status: "ok", clock });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
  }
  expect([emulator.requests.length, emulator.faults.list().length]).toEqual([0, 1]);
});

const NOT_HOSTS = ["", "music:4010", "http://music", "music/x", "a b", "me@music"];

test.each(NOT_HOSTS)("an `allowHost` of %j is refused", async (allowHost) => {
  const served = serve(createEmulator(), { allowHost });
  await expect(served).rejects.toThrow("`allowHost` must be a host name without a port");
});

test.each([
  ["cross-site", 403],
  ["same-site", 403],
  ["", 403],
  ["same-origin", 200],
  ["none", 200],
])("a GET without an Origin and with Sec-Fetch-Site %j gets a %i", async (site, status) => {
  const { control } = await listen();
  expect(await control({ "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors" })).toBe(status);
});

/** Sends the beginning of a request. Resolves with the response when the server closes the connection. */
function beginRequest(url: string, lines: string[], beginning: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`${lines.join("\r\n")}\r\n\r\n${beginning}`);
  return text(socket);
}

const JSON_TYPE = "Content-Type: application/json";

test.each([
  ["a foreign Host", 403, ["Host: evil.example", JSON_TYPE]],
  ["a foreign Origin", 403, ["Host: localhost", "Origin: http://evil.example", JSON_TYPE]],
  ["a cross-site page", 403, ["Host: localhost", "Sec-Fetch-Site: cross-site", JSON_TYPE]],
  ["a content type other than JSON", 400, ["Host: localhost", "Content-Type: text/plain"]],
])("with %s, a control call gets a %i before its body, and is closed", async (_, status, headers) => {
  await using server = await serve(createEmulator({ clock: "virtual" }));
  const responses = await Promise.all(
    ["PUT /_emulator/snapshot", "POST /_emulator/reset"].flatMap((call) => {
      const lines = [`${call} HTTP/1.1`, ...headers];
      return [
        beginRequest(server.url, [...lines, `Content-Length: ${150 * 2 ** 20}`], "{"),
        beginRequest(server.url, [...lines, "Transfer-Encoding: chunked"], "1\r\n{\r\n"),
      ];
    }),
  );
  for (const response of responses) {
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(response).toMatch(/\r\nConnection: close\r\n/);
  }
});

test.each([
  { Host: "evil.example", "Content-Type": "application/json" },
  { Origin: "http://evil.example", "Content-Type": "application/json" },
  { "Content-Type": "text/plain" },
])("in process, only the beginning of a refused control call's body is read: %j", async (headers) => {
  const emulator = createEmulator();
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(2 ** 20));
      if (++pulled === 100) controller.close();
    },
  });
  const init = { method: "PUT", headers, body, duplex: "half" } as const;
  const { status } = await emulator.fetch(`${emulator.url}/_emulator/snapshot`, init);
  expect([400, 403]).toContain(status);
  expect(pulled).toBeLessThan(5);
});

import assert from "node:assert/strict";
import { AsyncMusic } from "async-music";

const { ASYNC_MUSIC_BASE_URL: baseUrl } = process.env;

/** An account for one test, on an emulator that other tests use at the same time. */
export async function createAccount(credits = 100) {
  const { account_id, api_key } = await control("POST", "/accounts", { credits });
  return {
    client: new AsyncMusic({ baseUrl, apiKey: api_key }),
    addFault: (rule) => control("POST", "/faults", { account_id, ...rule }),
    setNext: (model, outcome) => control("POST", `/providers/${model}/next`, { account_id, ...outcome }),
    /** At the end of the test: the client broke no rule of the service, and every fault was used. */
    async check() {
      const { findings } = await control("GET", `/audit?account_id=${account_id}`);
      assert.deepEqual(findings, []);
      const { faults } = await control("GET", `/faults?account_id=${account_id}`);
      const unused = faults.map(({ rule }) => rule);
      assert.deepEqual(unused, []);
    },
  };
}

async function control(method, path, body) {
  const response = await fetch(`${baseUrl}/_emulator${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return text === "" ? null : JSON.parse(text);
}

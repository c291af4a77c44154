import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { METHODS } from "../../emulator/control/plane.js";
import { createControlled } from "./support/control.js";

/** The control plane's calls, typed by hand from its table. */
const TABLE = [
  "POST /reset",
  "GET /state",
  "POST /clock/advance",
  "POST /accounts",
  "PATCH /accounts/{account_id}",
  "POST /accounts/{account_id}/keys",
  "PATCH /accounts/{account_id}/keys/{key_id}",
  "DELETE /accounts/{account_id}/keys/{key_id}",
  "POST /accounts/{account_id}/top-ups",
  "PATCH /accounts/{account_id}/top-ups/{payment_id}",
  "PUT /accounts/{account_id}/auto-top-up",
  "GET /accounts/{account_id}/auto-top-up",
  "POST /accounts/{account_id}/authorizations",
  "PUT /accounts/{account_id}/billing",
  "GET /accounts/{account_id}/billing",
  "GET /accounts/{account_id}/invoices",
  "GET /accounts/{account_id}/invoices/{invoice_id}.pdf",
  "POST /providers/{model}/next",
  "PUT /providers/{model}/always",
  "POST /faults",
  "DELETE /faults",
  "PATCH /policy",
  "PATCH /limits",
  "GET /requests",
  "GET /requests/stream",
  "GET /audit",
  "GET /snapshot",
  "PUT /snapshot",
];

test("the description holds every call of the table, and nothing that is not answered", async () => {
  const { control } = createControlled();
  const { body } = await control("GET", "/openapi.json");
  expect(body.openapi).toBe("3.1.0");
  const described = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/_emulator", "")}`),
  );
  expect(new Set(described).size).toBe(described.length);
  expect(described).toEqual(expect.arrayContaining(TABLE));
  expect(described).toEqual(METHODS.map(({ route }) => route));
  for (const call of described) {
    const [method = "", path = ""] = call.split(" ");
    const { status } = await control(method === "GET" ? "HEAD" : "OPTIONS", path.replaceAll(/[{}]/g, ""));
    expect([call, status]).toEqual([call, 405]);
  }
});

test("every operation has its own name, and says which parameters its path has", async () => {
  const { body } = await createControlled().control("GET", "/openapi.json");
  const names: string[] = [];
  for (const [path, methods] of Object.entries<
    Record<string, { operationId: string; parameters?: { name: string }[] }>
  >(body.paths)) {
    for (const { operationId, parameters = [] } of Object.values(methods)) {
      names.push(operationId);
      expect(parameters.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
  }
  expect(new Set(names).size).toBe(names.length);
});

test("the description passes a public linter's recommended rules", async () => {
  const { body } = await createControlled().control("GET", "/openapi.json");
  const problems = await lintFromString({
    source: JSON.stringify(body),
    config: await createConfig({ extends: ["recommended"] }),
  });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});

import { expect, test } from "vitest";
import { METHODS } from "../../emulator/control/plane.js";
import { createControlled } from "./support/service.js";

/** The control plane's calls, typed by hand from its table. */
const TABLE = {
  "/reset": "POST",
  "/state": "GET",
  "/clock/advance": "POST",
  "/accounts": "POST",
  "/accounts/{account_id}": "PATCH",
  "/accounts/{account_id}/keys": "POST",
  "/accounts/{account_id}/keys/{key_id}": "PATCH DELETE",
  "/accounts/{account_id}/top-ups": "POST",
  "/accounts/{account_id}/top-ups/{payment_id}": "PATCH",
  "/accounts/{account_id}/auto-top-up": "PUT GET",
  "/accounts/{account_id}/authorizations": "POST",
  "/accounts/{account_id}/billing": "PUT GET",
  "/accounts/{account_id}/invoices": "GET",
  "/accounts/{account_id}/invoices/{invoice_id}.pdf": "GET",
  "/providers/{model}/next": "POST",
  "/providers/{model}/always": "PUT",
  "/faults": "POST GET DELETE",
  "/policy": "PATCH",
  "/limits": "PATCH",
  "/requests": "GET",
  "/requests/stream": "GET",
  "/exchanges/stream": "GET",
  "/exchanges/before/{number}": "GET",
  "/exchanges/{number}": "GET",
  "/exchanges/search": "POST",
  "/exchanges/har": "POST",
  "/audit": "GET",
  "/snapshot": "GET PUT",
  "/health": "GET",
};

test("the description lists every call of the table, and no call that does not exist", async () => {
  const { control } = createControlled();
  const { body } = await control("GET", "/openapi.json");
  expect(body.openapi).toBe("3.1.0");
  const described = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/_emulator", "")}`),
  );
  expect(new Set(described).size).toBe(described.length);
  for (const [path, methods] of Object.entries(TABLE))
    for (const method of methods.split(" ")) expect(described).toContain(`${method} ${path}`);
  expect(described).toEqual(METHODS.map(({ route }) => route));
  for (const call of described) {
    const [method = "", path = ""] = call.split(" ");
    const other = method === "GET" && path !== "/health" ? "HEAD" : "OPTIONS";
    const { status } = await control(other, path.replaceAll(/[{}]/g, ""));
    expect([call, status]).toEqual([call, 405]);
  }
});

import { expect, test } from "vitest";
import { METHODS } from "../../emulator/control/plane.js";
import { createControlled } from "./support/service.js";

// `test/docs/guides.test.ts` compares the calls with those of the guide.
test("the description lists every call, and no call that does not exist", async () => {
  const { control } = createControlled();
  const { body } = await control("GET", "/openapi.json");
  expect(body.openapi).toBe("3.1.0");
  const described = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/_emulator", "")}`),
  );
  expect(new Set(described).size).toBe(described.length);
  expect(described).toEqual(METHODS.map(({ route }) => route));
  for (const call of described) {
    const [method = "", path = ""] = call.split(" ");
    const other = method === "GET" && path !== "/health" ? "HEAD" : "OPTIONS";
    const { status } = await control(other, path.replaceAll(/[{}]/g, ""));
    expect([call, status]).toEqual([call, 405]);
  }
});

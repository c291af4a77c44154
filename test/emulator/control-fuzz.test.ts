import fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson } from "./support/any-json.js";
import { createControlled, VALID } from "./support/service.js";

/** Every call of the control plane, as its own description has it, but for the stream, which never ends. */
async function describedCalls(): Promise<{ method: string; path: string }[]> {
  const { control } = createControlled();
  const { body } = await control("GET", "/openapi.json");
  const paths: Record<string, Record<string, unknown>> = body.paths;
  return Object.entries(paths)
    .map(([path, operations]) => ({ path: path.replace(/^\/_emulator/, ""), operations }))
    .filter(({ path }) => !path.endsWith("/stream"))
    .flatMap(({ path, operations }) =>
      Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
    );
}

const name = fc.constantFrom(
  ..."seed credits policy limits requests window_seconds seconds suspended disabled usd method outcome".split(
    " ",
  ),
  ..."status enabled threshold_credits recharge_usd monthly_cap_usd authorization name address_line_1".split(
    " ",
  ),
  ..."city country fault kind when path times probability clips format polls error_code version".split(" "),
  ..."state saved_card __proto__".split(" "),
);
const word = fc.oneof(
  fc.constantFrom(..."card crypto pending success failure hang vary disconnect".split(" ")),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const number = fc.oneof(fc.integer({ min: -5, max: 2_000 }), fc.double());
const value = anyJson(name, word, number);

test("every control call gets a response with a request id, and a refused call changes nothing", async () => {
  const calls = await describedCalls();
  expect(calls.length).toBeGreaterThan(20);
  const service = createControlled({ credits: 100 });
  const { emulator, control, create } = service;
  await create(VALID.song);
  const requests = fc.record({
    call: fc.constantFrom(...calls),
    id: fc.oneof(fc.constant(emulator.accountId), fc.webSegment(), fc.constantFrom("provider_a", "x")),
    body: fc.oneof(
      { weight: 8, arbitrary: fc.dictionary(name, value, { maxKeys: 6 }) },
      value.map((each) => JSON.stringify(each)),
      fc.string({ unit: "binary" }),
    ),
  });
  const refused = new Set<number>();
  await fc.assert(
    fc.asyncProperty(requests, async ({ call, id, body }) => {
      const before = service.frozenState();
      const path = call.path.replace(/\{\w+\}/g, id === "" ? "x" : id);
      const reply = await control(call.method, path, call.method === "GET" ? undefined : body);
      expect([call, reply.status, reply.status < 500]).toEqual([call, reply.status, true]);
      expect(reply.headers.get("X-Request-Id")).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      if (reply.status < 400) return;
      refused.add(reply.status);
      expect(reply.body).toMatchObject({ code: reply.status, error_code: expect.any(String) });
      expect(service.frozenState()).toBe(before);
    }),
    { numRuns: 3_000, timeout: 60_000 },
  );
  expect(refused).toContain(400);
  expect(refused).toContain(404);
});

import { checkCompliance } from "async-music/emulator";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { AnyMethod } from "../../emulator/control/method.js";
import { METHODS } from "../../emulator/control/plane.js";
import { createEventful } from "./support/eventful.js";
import {
  BALANCE,
  type ControlledService,
  controlled,
  createControlled,
  serviceOf,
  VALID,
} from "./support/service.js";

const EVERY_CALL = METHODS.map((definition) => {
  const [method = "", path = ""] = definition.route.split(" ");
  return { name: definition.route, method, path, definition };
});
/** Streams never end. */
const CALLS = EVERY_CALL.filter(({ name }) => !name.endsWith("/stream"));
const STREAMS = EVERY_CALL.filter((each) => !CALLS.includes(each));
const SCOPED = CALLS.filter(({ definition }) => definition.scoped);
const READS = SCOPED.filter(({ name }) => /^GET |\/har$/.test(name));
const WRITES = SCOPED.filter((each) => !READS.includes(each));

type JsonSchema = z.core.JSONSchema.BaseSchema;

function bodySchema(definition: AnyMethod): JsonSchema | null {
  if (!("body" in definition) || definition.body === null) return null;
  return z.toJSONSchema(definition.body, { io: "input", unrepresentable: "any" });
}

/** A value of a schema: its required fields, or the first one if none is. */
function sampleOf(schema: JsonSchema): unknown {
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice !== undefined) return sampleOf(choice as JsonSchema);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.at(-1);
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "string") return "/x";
  if (schema.type === "array") return [];
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => name !== "account_id");
  const required = fields.filter(([name]) => schema.required?.includes(name));
  const chosen = required.length > 0 ? required : fields.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, field]) => [name, sampleOf(field as JsonSchema)]));
}

const hasField = ({ definition }: { definition: AnyMethod }, name: string) =>
  Object(bodySchema(definition)?.properties)[name] !== undefined;

/** A body that the call accepts, for a path without IDs of other objects. */
function sampleBody({ definition }: { definition: AnyMethod }): unknown {
  const schema = bodySchema(definition);
  return schema === null ? undefined : sampleOf(schema);
}

/** An emulator with two accounts besides its own, each with a task, a payment and a request. */
let service: ControlledService;
let one: string;
let other: string;
beforeEach(async () => {
  service = createControlled({ credits: 100 });
  const accounts = [
    service.emulator.accounts.create({ credits: 100 }),
    service.emulator.accounts.create({ credits: 100 }),
  ];
  [one = "", other = ""] = accounts.map(({ account_id }) => account_id);
  for (const { account_id, api_key } of accounts) {
    await controlled(serviceOf(service.emulator, { apiKey: api_key })).create(VALID.song);
    service.emulator.accounts.topUp(account_id, { usd: 10, method: "crypto", outcome: "pending" });
  }
});

/** A path with existing ids. */
function pathIn(path: string, accountId: string): string {
  const { accounts, tasks } = Object(service.emulator.snapshot().state);
  const account = accounts.find(({ id }: { id: string }) => id === accountId);
  const task = tasks.find((each: { accountId: string }) => each.accountId === accountId);
  const payments: Record<string, string>[] | undefined = account?.purchases.payments;
  const ids: Record<string, string> = {
    account_id: accountId,
    key_id: account?.keys[0].id ?? "none",
    payment_id: payments?.find(({ status }) => status === "pending")?.payment_id ?? "none",
    invoice_id: payments?.[0]?.invoice_id ?? "none",
    task_id: task?.id ?? "",
    clip_id: task?.result?.[0].id ?? "none",
    model: "provider_a",
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "1");
}

describe("a call returns the status and the body that its description states", () => {
  test.each(CALLS)("$name", async (call) => {
    service = await createEventful();
    const { accountId: id, accounts } = service.emulator;
    const amounts = { threshold_credits: 5_000, recharge_usd: 10, monthly_cap_usd: 30 };
    const bodies: Record<string, () => unknown> = {
      "PUT /accounts/{account_id}/auto-top-up": () => ({
        enabled: true,
        ...amounts,
        ...accounts.authorize(id),
      }),
      "POST /accounts/{account_id}/requests": () => ({ method: "GET", path: BALANCE }),
      "PUT /snapshot": () => service.emulator.snapshot(),
    };
    const body = bodies[call.name]?.() ?? sampleBody(call);
    const { status, headers, body: answer } = await service.control(call.method, pathIn(call.path, id), body);
    const described = call.definition;
    if ("mediaType" in described) {
      expect([status, headers.get("Content-Type")]).toEqual([
        200,
        expect.stringContaining(described.mediaType.replace("*", "")),
      ]);
      return;
    }
    expect(status).toBe(described.status);
    // Every field of the response is described.
    if (described.response === null) expect(answer).toBe("");
    else expect(described.response.safeParse(answer)).toEqual({ success: true, data: answer });
  });
});

describe("every call gets a response with a request ID, and a refused one or a read changes nothing", () => {
  test.each(CALLS)("$name", async ({ method, path, definition }) => {
    const schema = bodySchema(definition);
    const variant = schema?.anyOf?.find((each) => Object(each).properties !== undefined) ?? schema;
    const fields = Object.entries(Object(variant).properties ?? {});
    // Each field is absent, valid, or of a wrong type. Mostly valid: a field may be refused after others took effect.
    const valueFor = (field: JsonSchema) =>
      fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom(...(field.enum ?? [sampleOf(field)])) },
        fc.constantFrom<unknown>(null, -1, "accepts", "?"),
        fc.jsonValue({ maxDepth: 2 }),
      );
    const body = fc.record(
      Object.fromEntries(fields.map(([name, field]) => [name, valueFor(field as JsonSchema)])),
      { requiredKeys: [] },
    );
    const bodies = fc.oneof(
      { weight: 9, arbitrary: body },
      fc.constantFrom<unknown>([], 5, "{", { no_such: 1 }, '{"__proto__":{}}'),
      fc.string({ unit: "binary" }),
    );
    const wrong = definition.scoped ? ["?account_id=none", "?no_such=1"] : ["?no_such=1"];
    const paths = mostly(pathIn(path, one), pathIn(path, "none"), path.replaceAll(/\{\w+\}/g, "%00"));
    const start = service.emulator.snapshot();
    await fc.assert(
      fc.asyncProperty(bodies, mostly("", ...wrong), paths, async (given, search, target) => {
        // Without the effects of earlier calls, which could hide those of a refused one.
        service.emulator.restore(start);
        const before = service.frozenState();
        const sent = method === "GET" ? undefined : given;
        const { status, headers, body: answer } = await service.control(method, target + search, sent);
        expect(status).toBeLessThan(500);
        expect(headers.get("X-Request-Id")).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
        if (status >= 400) expect(answer).toMatchObject({ code: status, error_code: expect.any(String) });
        else if (method !== "GET") return;
        expect(service.frozenState()).toBe(before);
      }),
      { numRuns: fields.length > 1 ? 100 : 30 },
    );
  });
});

function mostly(usual: string, ...others: string[]) {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));
}

/** The state without what belongs to one account alone. */
function stateWithout(accountId: string): unknown {
  const { accounts, faults, ...shared } = Object(service.emulator.snapshot().state);
  return {
    ...shared,
    accounts: accounts.filter(({ id }: { id: string }) => id !== accountId),
    faults: faults.filter(({ rule }: { rule: { account_id?: string } }) => rule.account_id !== accountId),
  };
}

describe("a call that is limited to an account", () => {
  test.each([...SCOPED, ...STREAMS])("is a 404 for an unknown one: $name", async (call) => {
    const unknown = "0b6e4e1c-3f6d-4a7e-9c55-1f2d3c4b5a69";
    const before = service.frozenState();
    const body = sampleBody(call);
    const message = `No account has the ID ${unknown}. Check the ID; a reset or a restore removes earlier ones.`;
    const path = pathIn(call.path, one);
    const doors = [[`${path}?account_id=${unknown}`, body]];
    if (hasField(call, "account_id")) doors.push([path, { ...Object(body), account_id: unknown }]);
    for (const [target, given] of doors)
      expect(await service.control(call.method, String(target), given)).toMatchObject({
        status: 404,
        body: { message },
      });
    expect(service.frozenState()).toBe(before);
  });

  test.each(READS)("shows nothing of another one: $name", async ({ method, path, definition }) => {
    const target = `${pathIn(path, one)}?account_id=${one}`;
    const body = bodySchema(definition) === null ? undefined : {};
    const { status, body: answer } = await service.control(method, target, body);
    expect(status).toBe(200);
    expect(JSON.stringify(answer)).not.toContain(other);
  });

  test.each(WRITES)("changes nothing of another one: $name", async (call) => {
    const before = stateWithout(one);
    const target = `${pathIn(call.path, one)}?account_id=${one}`;
    const { status } = await service.control(call.method, target, sampleBody(call));
    expect(status).toBeLessThan(300);
    expect(stateWithout(one)).toEqual(before);
  });
});

const NAMES_ID = /\{(account|key|payment|task)_id\}/;

describe("an ID is accepted in upper case", () => {
  const statusOf = async (call: (typeof CALLS)[number], target: string, search = "", more = {}) => {
    const sample = sampleBody(call);
    const body = sample === undefined ? undefined : Object.assign(Object(sample), more);
    const path = pathIn(call.path, target) + search;
    const { status, body: answer } = await service.control(call.method, path, body);
    return [status, Object(answer).request_id === undefined ? answer : null, service.frozenState()];
  };

  test.each(CALLS.filter(({ path }) => NAMES_ID.test(path)))("$name", async (call) => {
    const start = service.emulator.snapshot();
    const expected = await statusOf(call, one);
    expect(expected[0]).not.toBe(404);
    service.emulator.restore(start);
    const { path } = call;
    const upper = {
      ...call,
      path: path.replaceAll(/\{\w+\}/g, (part: string) => pathIn(part, one).toUpperCase()),
    };
    expect(await statusOf(upper, one)).toEqual(expected);
  });

  test.each(SCOPED)("as the account that $name is limited to", async (call) => {
    const start = service.emulator.snapshot();
    const expected = await statusOf(call, one, `?account_id=${one}`);
    expect(expected[0]).toBeLessThan(300);
    const doors: [search: string, more: object][] = [[`?account_id=${one.toUpperCase()}`, {}]];
    if (hasField(call, "account_id"))
      for (const search of ["", `?account_id=${one}`])
        doors.push([search, { account_id: one.toUpperCase() }]);
    for (const [search, more] of doors) {
      service.emulator.restore(start);
      expect(await statusOf(call, one, search, more)).toEqual(expected);
    }
  });

  test("in process", async () => {
    const { emulator } = service;
    const upper = one.toUpperCase();
    const [payment] = emulator.accounts.payments(one);
    const paymentId = payment?.payment_id.toUpperCase() ?? "";
    const { key_id: keyId } = emulator.accounts.createKey(upper);
    const task = emulator.state({ accountId: upper }).tasks[0];
    const scope = { accountId: upper };
    emulator.faults.add({ path: "/no", fault: { kind: "stall" }, account_id: upper });
    emulator.providers.provider_a.next({ outcome: "hang", account_id: upper });
    emulator.changePolicy({ late_success: "success" }, scope);
    emulator.changeLimits({ requests: 7 }, scope);
    emulator.accounts.updateKey(upper, keyId.toUpperCase(), { disabled: true });
    emulator.accounts.updateTopUp(upper, paymentId, { status: "completed" });
    expect(emulator.faults.list({ accountId: one })).toMatchObject([{ rule: { account_id: one } }]);
    expect(emulator.state({ accountId: one })).toMatchObject({
      policy: { late_success: "success" },
      limits: { requests: 7 },
      tasks: [task],
    });
    expect(emulator.accounts.get(upper).keys).toContainEqual({ key_id: keyId, disabled: true });
    expect(emulator.accounts.payments(upper)).toMatchObject([{ status: "completed" }]);
    expect(emulator.accounts.requests(upper)).toHaveLength(1);
    expect(() => checkCompliance(emulator, scope)).toThrow("outcome");
    await emulator.when(String(task?.task_id).toUpperCase(), "pending");
  });
});

/** The outcomes and faults that are left, in all accounts. */
function leftovers() {
  const { scripts, faults, accounts } = Object(service.emulator.snapshot().state);
  const own = accounts.map((account: { scripts?: unknown }) => account.scripts ?? null);
  return JSON.stringify([scripts, own, faults]).match(/"(?:hang|stall)"/g)?.length ?? 0;
}

/** A call that clears: what it removes is added by the other call at its path. */
const CLEARS = [
  ...WRITES.filter(({ method }) => method === "DELETE").map((clear) => ({ ...clear, nothing: undefined })),
  ...WRITES.filter(({ method, definition }) => method === "PUT" && acceptsNull(definition)).map((clear) => ({
    ...clear,
    nothing: null,
  })),
];

function acceptsNull(definition: AnyMethod): boolean {
  return bodySchema(definition)?.anyOf?.some((each) => Object(each).type === "null") === true;
}

describe("a call that clears leaves nothing in any account, or nothing in its own", () => {
  test.each(CLEARS)("$name", async ({ method, path, nothing }) => {
    const target = pathIn(path, one);
    const adding = WRITES.find(
      (each) => each.path === path && each.method === (method === "DELETE" ? "POST" : method),
    );
    const value = path === "/faults" ? { fault: { kind: "stall" } } : { outcome: "hang" };
    const fill = async () => {
      for (const scope of ["", `?account_id=${one}`, `?account_id=${other}`])
        expect((await service.control(adding?.method ?? "", target + scope, value)).status).toBeLessThan(300);
      expect(leftovers()).toBe(3);
    };
    await fill();
    await service.control(method, `${target}?account_id=${one}`, nothing);
    expect(leftovers()).toBe(2);
    await service.control(method, target, nothing);
    expect(leftovers()).toBe(0);
  });

  test("there are at least three", () => {
    expect(CLEARS.length).toBeGreaterThanOrEqual(3);
  });
});

import { expect, test } from "vitest";
import { connectMcp } from "./support/mcp.js";
import { useTerminal } from "./support/terminal.js";

const its = useTerminal();
const RAIN = { tool: "make_song", order: "rain", description: "rain in Lisbon" };
const SEA = { tool: "write_lyrics", order: "sea", description: "the sea" };

test("several orders are placed at once, each under its own name and key", async () => {
  const { call } = await connectMcp(its);
  const { data, links } = await call("make_batch", { orders: [RAIN, SEA] });
  expect(data).toMatchObject({
    orders: [
      { order: "rain", status: "success", credits: 10, error: null },
      { order: "sea", status: "success", credits: 5, lyrics: { text: expect.any(String) }, error: null },
    ],
    ...{ failed: 0, next: "All orders are complete." },
  });
  expect([its.posts(), links.length > 0]).toEqual([2, true]);
  await call("make_batch", { orders: [RAIN, SEA] });
  expect((await call("check_order", { order: "sea" })).data).toMatchObject({ status: "success" });
  expect(its.posts()).toBe(2);
});

test.each([
  ["the server's ceiling", { maxCredits: 14 }, {}],
  ["the ceiling of the call", {}, { max_credits: 14 }],
])("beyond %s, none of the orders is sent", async (_, flags, args) => {
  const { call } = await connectMcp(its, flags);
  const { isError, text } = await call("make_batch", { orders: [RAIN, SEA], ...args });
  expect([isError, its.posts()]).toEqual([true, 0]);
  expect(text).toContain("15 credits");
});

test("all prices are confirmed once", async () => {
  const questions: string[] = [];
  const actions = ["decline", "accept"] as const;
  const reply = (message: string) => ({
    action: actions[questions.push(message) - 1] ?? ("cancel" as const),
  });
  const { call } = await connectMcp(its, {}, { reply });
  expect([(await call("make_batch", { orders: [RAIN, SEA] })).isError, its.posts()]).toEqual([true, 0]);
  expect((await call("make_batch", { orders: [RAIN, SEA] })).data).toMatchObject({ failed: 0 });
  expect([questions.length, its.posts()]).toEqual([2, 2]);
  expect(questions[1]).toBe(
    'Allow 2 orders for 15 credits (0.15 USD) in all?\n"rain": music of provider_a, 10 credits (0.10 USD)\n"sea": lyrics of provider_a, 5 credits (0.05 USD)',
  );
});

test("a failure is reported beside the results of the others", async () => {
  its.emulator.providers.provider_b.always({ outcome: "failure", error_code: "content_moderation" });
  const { call } = await connectMcp(its);
  const bad = { ...RAIN, order: "bad", model: "provider_b" };
  const { data, isError } = await call("make_batch", { orders: [bad, SEA] });
  expect(isError).toBe(false);
  expect(data).toMatchObject({
    orders: [
      { order: "bad", status: "error", error: expect.stringContaining("content_moderation") },
      { order: "sea", status: "success", error: null },
    ],
    failed: 1,
  });
});

test("wrong arguments of one order, and a repeated name, send nothing", async () => {
  const { call } = await connectMcp(its);
  const ignored = { ...RAIN, order: "b", lyrics: "la" };
  const refused = await call("make_batch", { orders: [SEA, ignored] });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/^Order "b": `lyrics` /)]);
  expect((await call("make_batch", { orders: [SEA, { ...RAIN, order: "sea" }] })).isError).toBe(true);
  expect((await call("make_batch", { orders: [{ ...SEA, mood: "low" }] })).isError).toBe(true);
  expect((await call("make_batch", { orders: [] })).isError).toBe(true);
  expect(its.posts()).toBe(0);
});

test("several orders above the ceiling are refused together, and fewer fit", async () => {
  const { call } = await connectMcp(its, { maxCredits: 10 });
  const refused = await call("make_batch", {
    orders: [SEA, RAIN].map((each, index) => ({ ...each, order: `${index}` })),
  });
  expect([refused.isError, its.posts()]).toEqual([true, 0]);
  expect(refused.text).toMatch(/^The orders cost \d+ credits, and 10 of the 10 .* Order fewer/);
});

test("after 50 s, the call returns what is known of each order", async () => {
  const { call } = await connectMcp(its, {}, { sleep: async () => {}, hold: new Promise(() => {}) });
  const { data } = await call("make_batch", { orders: [RAIN, SEA] });
  expect(data.orders.map(({ status }: { status: string }) => status)).toEqual(["submitting", "submitting"]);
  expect(data.next).toContain("check_order");
});

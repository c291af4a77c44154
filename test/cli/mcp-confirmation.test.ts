import { pathToFileURL } from "node:url";
import { CancelledNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { settleOutcome } from "async-music";
import { fileJournal } from "async-music/node";
import { expect, test, vi } from "vitest";
import { held } from "../support/collect.js";
import { connectMcp, neverEnding } from "./support/mcp.js";
import { useTerminal } from "./support/terminal.js";

const its = useTerminal();
const RAIN = { order: "rain", description: "rain in Lisbon" };

/** A client that replies to each question with the next of these actions. */
async function connect(...actions: ("accept" | "decline" | "cancel")[]) {
  const questions: string[] = [];
  const reply = (message: string) => {
    questions.push(message);
    return { action: actions[questions.length - 1] ?? ("cancel" as const) };
  };
  return { ...(await connectMcp(its, {}, { reply })), questions };
}

test("the user confirms the order and its price before it is sent", async () => {
  const { call, questions } = await connect("accept");
  const { data } = await call("make_song", RAIN);
  expect(data).toMatchObject({ order: "rain", status: "success", credits: 10 });
  expect(questions).toEqual(['Allow order "rain": music of provider_a, 10 credits (0.10 USD)?']);
});

test.each(["decline", "cancel"] as const)("after %s, nothing is sent", async (action) => {
  const { call } = await connect(action);
  const { isError, text } = await call("make_song", RAIN);
  expect([isError, its.posts()]).toEqual([true, 0]);
  expect(text).toContain("nothing was sent or charged");
});

test("a confirmation allows just its order: another one, and a later attempt, need their own", async () => {
  const { call, questions } = await connect("decline", "accept", "decline");
  expect((await call("make_song", RAIN)).isError).toBe(true);
  expect((await call("make_song", RAIN)).isError).toBe(false);
  const other = await call("write_lyrics", { order: "sea", description: "the sea" });
  expect([other.isError, its.posts(), questions.length]).toEqual([true, 1, 3]);
  expect(questions[2]).toContain('"sea": lyrics of provider_a, 5 credits');
});

test("an order that the journal has needs no confirmation", async () => {
  const first = await connect("accept");
  await first.call("make_song", RAIN);
  const later = await connect();
  expect((await later.call("make_song", RAIN)).data).toMatchObject({ status: "success" });
  expect((await later.call("check_order", { order: "rain" })).isError).toBe(false);
  expect([later.questions, its.posts()]).toEqual([[], 1]);
});

test("after a settlement as not created, the price is confirmed again", async () => {
  its.loseResponse("before");
  const { call, questions } = await connect("accept", "decline");
  expect((await call("make_song", RAIN)).isError).toBe(true);
  await settleOutcome(fileJournal(its.journal), "rain", null);
  const sent = its.posts();
  expect((await call("make_song", RAIN)).isError).toBe(true);
  expect([questions.length, its.posts()]).toEqual([2, sent]);
});

const BATCH = { orders: [{ tool: "make_song", ...RAIN }] };

test.each([
  ["make_song", RAIN],
  ["check_order", { order: "rain" }],
  ["make_batch", BATCH],
])("a canceled %s withdraws its question, and the next call shows it again", async (name, args) => {
  const questions: string[] = [];
  const { given: late, give: replyLate } = held();
  const reply = async (message: string) => {
    if (questions.push(message) === 1) await late;
    return { action: "accept" as const };
  };
  const { client, call } = await connectMcp(its, {}, { reply });
  const withdrawn: unknown[] = [];
  client.setNotificationHandler(CancelledNotificationSchema, ({ params }) => {
    withdrawn.push(params.requestId);
  });
  const first = name === "check_order" ? call("make_song", RAIN) : null;
  const stop = new AbortController();
  const canceled = client.callTool({ name, arguments: args }, undefined, { signal: stop.signal });
  canceled.catch(() => {});
  await vi.waitFor(() => expect(questions).toHaveLength(1));
  stop.abort();
  // At once, so that no time is left in which the canceled run could end.
  const next = call("make_song", RAIN);
  await expect(canceled).rejects.toThrow();
  expect((await first)?.isError ?? true).toBe(true);
  expect((await next).data).toMatchObject({ status: "success" });
  expect([questions.length, withdrawn]).toEqual([2, [0]]);
  replyLate();
  expect((await call("check_order", { order: "rain" })).data).toMatchObject({ status: "success" });
  expect(its.posts()).toBe(1);
});

test("the end of the server cancels no question that was answered", async () => {
  const { client, call, end } = await connect("accept", "decline");
  const canceled: unknown[] = [];
  client.setNotificationHandler(CancelledNotificationSchema, ({ params }) => void canceled.push(params));
  await call("make_song", RAIN);
  await call("make_batch", { orders: [{ tool: "make_song", ...RAIN, order: "snow" }] });
  await end();
  await client.ping();
  expect(canceled).toEqual([]);
});

test("a call that is canceled before its question is shown leaves the next call its own", async () => {
  const { client, call, questions } = await connect("accept", "accept");
  const stop = new AbortController();
  const canceled = client.callTool({ name: "make_song", arguments: RAIN }, undefined, {
    signal: stop.signal,
  });
  stop.abort();
  const next = call("make_song", RAIN);
  await expect(canceled).rejects.toThrow();
  expect((await next).data).toMatchObject({ status: "success" });
  expect([questions.length, its.posts()]).toEqual([1, 1]);
});

test.each([
  ["make_song", RAIN],
  ["make_batch", BATCH],
])("while the question is open, the receipt of %s says so", async (name, args) => {
  const { given: asked, give: ask } = held();
  const reply = () => {
    ask();
    return neverEnding();
  };
  const { call } = await connectMcp(its, {}, { reply, sleep: () => asked });
  const { data } = await call(name, args);
  const [order = data] = data.orders ?? [];
  expect(order).toMatchObject({ order: "rain", status: "confirming", task_id: null });
  expect(order.next).toContain("The user has not confirmed the price yet.");
});

test("no question is shown about an order that does not fit", async () => {
  const { call, questions } = await connect("accept");
  expect((await call("make_song", { ...RAIN, max_credits: 9 })).isError).toBe(true);
  expect([questions, its.posts()]).toEqual([[], 0]);
});

test("results have links to the audio and to the saved files", async () => {
  const { call } = await connectMcp(its);
  const { data, links } = await call("make_song", RAIN);
  expect(links.map((link) => Object(link).uri)).toEqual(
    data.clips.map(({ audio_url }: { audio_url: string }) => audio_url),
  );
  const saved = await call("download_audio", { order: "rain" });
  expect(saved.links).toEqual(
    saved.data.files.map(({ path, content_type }: { path: string; content_type: string }) =>
      expect.objectContaining({ uri: pathToFileURL(path).href, mimeType: content_type }),
    ),
  );
  expect(saved.links.length).toBeGreaterThan(0);
});

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { AudioDownloadError, settleOutcome } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { fileJournal } from "async-music/node";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CallTimer } from "../../cli/mcp/calls.js";
import { instructionFor } from "../../cli/mcp/instructions.js";
import { toolNames } from "../../src/contract/input-texts.js";
import { held } from "../support/collect.js";
import { journalEntry } from "../support/journals.js";
import { connectClient, connectMcp, neverEnding } from "./support/mcp.js";
import { createTerminal, useTerminal } from "./support/terminal.js";

const PAID_TOOLS = toolNames();
const SONG = { description: "rain in Lisbon" };
const LYRICS = { description: "the sea" };

const its = useTerminal({ credits: 1000 });

/** Ends a call as 50 s do, by the emulator's clock: it moves only while the SDK waits. */
const virtual: CallTimer = async (ms, signal) => {
  const end = its.emulator.clock.now() + ms;
  while (its.emulator.clock.now() < end && !signal?.aborted) await tick();
};
const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

describe("the tools", () => {
  test("state honestly what they do: paid ones need an order, and repeating them is safe", async () => {
    const { tools, client } = await connectMcp(its);
    expect(tools.map(({ name }) => name)).toEqual([
      ...PAID_TOOLS,
      "make_batch",
      "check_order",
      "download_audio",
      "balance",
    ]);
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      const isPaid = PAID_TOOLS.includes(name);
      expect(outputSchema?.type).toBe("object");
      expect(inputSchema.required?.includes("order") ?? false).toBe(
        !["balance", "make_batch"].includes(name),
      );
      expect("max_credits" in Object(inputSchema.properties)).toBe(isPaid || name === "make_batch");
      if (isPaid) expect(annotations).toMatchObject({ readOnlyHint: false, idempotentHint: true });
    }
    expect(client.getInstructions()).toContain("order");
  });

  test("make a song, and return its clips as data and as text", async () => {
    const { call } = await connectMcp(its);
    const { data, text } = await call("make_song", { order: "rain", ...SONG, audio_format: "mp3" });
    expect(data).toMatchObject({ order: "rain", status: "success", credits: 10, lyrics: null });
    expect(data.clips[0]).toMatchObject({
      id: expect.any(String),
      audio_url: expect.stringMatching(/^https?:/),
    });
    expect(data.next).toMatch(/download_audio.* before \d{4}-/);
    expect(JSON.parse(text)).toEqual(data);
    expect(its.freezes()).toBe(1);
  });

  test.each(["file:///etc/passwd", "javascript:alert(1)"])("link to no audio at %s", async (url) => {
    const change = (body: string) => body.replaceAll(/"audio_url":"[^"]*"/g, `"audio_url":"${url}"`);
    const { client } = await connectMcp(its, {}, { change });
    const result = await client.callTool({ name: "make_song", arguments: { order: "rain", ...SONG } });
    expect(JSON.stringify(result.structuredContent)).toContain(url);
    expect(JSON.stringify(result.content)).not.toContain("resource_link");
  });

  test("name links without control characters", async () => {
    const change = (body: string) => body.replaceAll(/"title":"[^"]*"/g, '"title":"Ra\\u001b[31min\\u202e"');
    const { client } = await connectMcp(its, {}, { change });
    const { content } = await client.callTool({ name: "make_song", arguments: { order: "rain", ...SONG } });
    expect(content).toContainEqual(expect.objectContaining({ type: "resource_link", name: "Ra[31min" }));
  });

  test("write lyrics", async () => {
    const { call } = await connectMcp(its);
    const { data } = await call("write_lyrics", { order: "words", ...LYRICS });
    expect(data).toMatchObject({ status: "success", credits: 5, clips: [] });
    expect(data.lyrics.text).toContain("[Verse");
  });

  test("continue a song", async () => {
    const { call } = await connectMcp(its);
    const { data: song } = await call("make_song", { order: "rain", ...SONG });
    const [clip] = song.clips;
    const { data } = await call("continue_song", {
      order: "more",
      continue_clip_id: clip.id,
      continue_at: 30,
    });
    expect(data).toMatchObject({ status: "success", credits: 10 });
    expect(data.clips[0].id).not.toBe(clip.id);
  });

  test("download the audio of an order, and keep files that are there", async () => {
    const { call } = await connectMcp(its);
    await call("make_song", { order: "rain", ...SONG });
    const { data } = await call("download_audio", { order: "rain" });
    expect(data.files.length).toBeGreaterThan(0);
    for (const { path } of data.files) expect((await readFile(path)).subarray(8, 12).toString()).toBe("WAVE");
    const saved = await readdir(its.folder);
    expect((await call("download_audio", { order: "rain" })).data).toEqual(data);
    expect(await readdir(its.folder)).toEqual(saved);
  });

  test("show the balance, and what the server may still spend", async () => {
    const { call } = await connectMcp(its, { maxCredits: 25 });
    await call("make_song", { order: "rain", ...SONG });
    const { data } = await call("balance");
    expect(data).toMatchObject({ available: 990, frozen: 0, total: 990 });
    expect(data).toMatchObject({ max_credits: 25, max_credits_left: 15 });
  });
});

describe("an order", () => {
  test("is charged once by a client that repeats every call, also with a new server", async () => {
    const calls: [string, Record<string, unknown>][] = [
      ["make_song", { order: "rain", ...SONG }],
      ["write_lyrics", { order: "words", ...LYRICS }],
      ["check_order", { order: "rain" }],
      ["download_audio", { order: "words" }],
      ["make_song", { order: "b", model: "provider_b", description: "folk" }],
    ];
    const first = await connectMcp(its, { maxCredits: 20 });
    const later = await connectMcp(its, { maxCredits: 0 });
    for (const [name, args] of calls) {
      const { data, isError } = await first.call(name, args);
      expect(isError).toBe(false);
      expect((await first.call(name, args)).data).toEqual(data);
      expect((await later.call(name, args)).data).toEqual(data);
    }
    expect([its.posts(), its.freezes()]).toEqual([3, 3]);
    expect((await later.call("balance")).data).toMatchObject({ available: 980, max_credits_left: 0 });
  });

  test("is one song for two calls at once", async () => {
    const { call } = await connectMcp(its, { maxCredits: 10 });
    const both = await Promise.all([1, 2].map(() => call("make_song", { order: "rain", ...SONG })));
    expect(both.map(({ data }) => data.status)).toEqual(["success", "success"]);
    expect(both[0]?.data).toEqual(both[1]?.data);
    expect(its.posts()).toBe(1);
  });

  test("is refused for another request, while it runs and afterwards", async () => {
    const { call } = await connectMcp(its);
    const [, during] = await Promise.all([
      call("make_song", { order: "rain", ...SONG }),
      call("write_lyrics", { order: "rain", ...LYRICS }),
    ]);
    const after = await call("write_lyrics", { order: "rain", ...LYRICS });
    for (const { isError, text } of [during, after]) {
      expect([isError, text]).toEqual([
        true,
        expect.stringContaining('Order "rain" belongs to another request'),
      ]);
      expect(text).toContain("check_order");
    }
    expect(its.posts()).toBe(1);
  });

  test("that takes longer than a call returns a receipt, and later calls continue it", async () => {
    its.emulator.providers.provider_a.next({ outcome: "success", process_seconds: 3000 });
    const { call } = await connectMcp(its, {}, { sleep: virtual });
    const before = its.emulator.clock.now();
    const receipt = await call("make_song", { order: "slow", ...SONG });
    expect(its.emulator.clock.now() - before).toBeGreaterThanOrEqual(50_000);
    expect(receipt.data).toMatchObject({
      order: "slow",
      task_id: expect.any(String),
      credits: 10,
      clips: [],
    });
    expect(["pending", "running"]).toContain(receipt.data.status);
    expect(receipt.data.next).toContain("check_order");

    const download = await call("download_audio", { order: "slow" });
    expect(download.data).toMatchObject({ files: [], next: expect.stringContaining("Not ready yet") });

    let checked = await call("check_order", { order: "slow" });
    while (checked.data.status !== "success") checked = await call("check_order", { order: "slow" });
    expect(checked.data).toMatchObject({ task_id: receipt.data.task_id, clips: [{}, {}] });
    expect(its.posts()).toBe(1);
  });

  test("whose request is in flight returns a receipt, and is created once", async () => {
    const { given: hold, give: release } = held();
    let calls = 0;
    const untilSent = async () => {
      if (calls++ > 0) return neverEnding();
      while (its.posts() === 0) await tick();
    };
    const { call } = await connectMcp(its, {}, { sleep: untilSent, hold });
    const { data } = await call("make_song", { order: "rain", ...SONG });
    expect(data).toMatchObject({
      status: "submitting",
      task_id: null,
      next: expect.stringContaining("check_order"),
    });
    release();
    expect((await call("check_order", { order: "rain" })).data.status).toBe("success");
    expect(its.freezes()).toBe(1);
  });

  test("whose request another server is sending is not reported as unknown before two minutes have passed", async () => {
    const { given: hold, give: release } = held();
    const owner = await connectMcp(its, {}, { hold });
    const made = owner.call("make_song", { order: "rain", ...SONG });
    while (its.posts() === 0) await tick();

    const { call } = await connectMcp(its);
    const entry = await fileJournal(its.journal).get("rain");
    const { at, request_id } = entry ?? { at: "", request_id: "" };
    const again = new Date(Date.parse(at) + 120_000).toISOString();
    for (const [tool, args] of [
      ["check_order", {}],
      ["download_audio", {}],
      ["make_song", SONG],
    ] as const) {
      const { isError, text } = await call(tool, { order: "rain", ...args });
      expect([isError, text]).toEqual([true, expect.stringContaining(`same order at ${again} or later`)]);
      expect(text).toContain(`by request ID ${request_id}.`);
      for (const outcome of ["--task-id TASK_ID", "--not-created"])
        expect(text).toContain(`npx async-music settle rain --journal ${its.journal} ${outcome}\n`);
    }
    release();
    expect((await made).data.status).toBe("success");
    expect((await call("check_order", { order: "rain" })).data.status).toBe("success");
    expect(its.freezes()).toBe(1);
  });

  test.each([
    [undefined, 120_000],
    [1, 120_000],
    [30_001, 120_001],
    [300_000, 390_000],
  ])(
    "whose server, with `timeoutMs` %s, has ended without an outcome is unknown after %s ms",
    async (timeout_ms, ms) => {
      const at = new Date(its.emulator.clock.now()).toISOString();
      const limit = timeout_ms === undefined ? {} : { timeout_ms };
      await fileJournal(its.journal).put("rain", journalEntry("intent", { at, ...limit }), null);
      const { call } = await connectMcp(its);
      for (const [passed, isUnknown] of [
        [ms - 1, false],
        [1, true],
        [1, true],
      ] as const) {
        await its.emulator.clock.advance(passed);
        const { text } = await call("check_order", { order: "rain" });
        expect(text.includes("It is unknown whether a task was created")).toBe(isUnknown);
      }
    },
  );

  test.each([true, false])(
    "that begins while a check reads its entry is continued (freed before: %s)",
    async (isFreed) => {
      if (isFreed)
        await fileJournal(its.journal).put("rain", journalEntry("intent", { settled: true }), null);
      const { call } = await connectMcp(its);
      const results = await Promise.all([
        call("check_order", { order: "rain" }),
        call("make_song", { order: "rain", ...SONG }),
      ]);
      for (const { data, text } of results) expect([data.status, text]).toEqual(["success", text]);
    },
  );

  test("that failed is refunded, and the error says when a new order makes sense", async () => {
    its.emulator.providers.provider_a.next({
      outcome: "failure",
      error_code: "content_moderation",
      retryable: false,
    });
    const { call } = await connectMcp(its, { maxCredits: 10 });
    const failed = await call("make_song", { order: "rain", ...SONG });
    expect(failed.isError).toBe(true);
    expect(failed.text).toMatch(/credits were refunded.* Order "rain" stays failed.* changed request/);
    expect((await call("check_order", { order: "rain" })).text).toBe(failed.text);
    expect((await call("balance")).data).toMatchObject({ available: 1000, max_credits_left: 10 });
    expect((await call("make_song", { order: "rain-2", ...SONG })).data.status).toBe("success");
  });

  test("with an unknown outcome is never sent again, and the error leads to a decision", async () => {
    its.loseResponse();
    const { call } = await connectMcp(its, { maxCredits: 15 });
    const first = await call("make_song", { order: "rain", ...SONG });
    const again = await call("make_song", { order: "rain", ...SONG });
    const checked = await call("check_order", { order: "rain" });
    for (const { isError, text } of [first, again, checked]) {
      expect(isError).toBe(true);
      expect(text).toMatch(/^It is (unknown|not known yet) whether a task was created and charged\./);
      expect(text).toContain("Do not repeat it with another order");
      expect(text).toContain(`\nnpx async-music settle rain --journal ${its.journal} --not-created\n`);
      expect(text).toMatch(
        /report this to the user.*operator of the service may find it by request ID [\w-]+/,
      );
      expect(text).toMatch(/`check_order` with the same order at \S+Z or later\. Before that time/);
    }
    expect(first.text).toContain("one task more than before");
    expect(its.posts()).toBe(1);
    // It counts against the ceiling: another song does not fit, and lyrics do.
    const other = await call("make_song", { order: "other", ...SONG });
    expect(other.text).toContain("5 of the 15");
    expect((await call("write_lyrics", { order: "words", ...LYRICS })).isError).toBe(false);

    await settleOutcome(fileJournal(its.journal), "rain", null);
    expect((await call("check_order", { order: "rain" })).text).toContain("created no task");
    expect((await call("make_song", { order: "rain", ...SONG })).data.status).toBe("success");
  });

  test("with a settled task continues with that task", async () => {
    its.loseResponse();
    const { call } = await connectMcp(its, { maxCredits: 10 });
    await call("make_song", { order: "rain", ...SONG });
    const taskId = its.latestTaskId();
    await settleOutcome(fileJournal(its.journal), "rain", taskId);
    expect((await call("check_order", { order: "rain" })).data).toMatchObject({
      task_id: taskId,
      credits: 10,
    });
    expect((await call("make_song", { order: "rain", ...SONG })).data).toMatchObject({ task_id: taskId });
    expect(its.posts()).toBe(1);
  });

  test("that the journal does not have is an error that lists others, and says how to continue", async () => {
    const { call } = await connectMcp(its);
    expect((await call("check_order", { order: "sea" })).text).toMatch(
      /^There is no order "sea".*Open orders: none\. Finished orders, latest first: none\./,
    );
    for (const order of ["words", "verse"]) await call("write_lyrics", { order, ...LYRICS });
    its.loseResponse();
    await call("make_song", { order: "rain", ...SONG });
    for (const tool of ["check_order", "download_audio"])
      expect((await call(tool, { order: "sea" })).text).toMatch(
        /Open orders: "rain"\. .*latest first: "verse", "words"\. .*call again with its name.*call `make_song`.*which is charged\.$/,
      );
  });

  test("sends its state while a call waits, to a client that requests progress", async () => {
    its.emulator.providers.provider_a.next({ outcome: "success", process_seconds: 60 });
    const { client } = await connectMcp(its);
    const received: [tool: string, progress: number, message: string | undefined][] = [];
    const follow = (name: string, args: Record<string, unknown>) =>
      client.callTool({ name, arguments: { order: "rain", ...args } }, undefined, {
        onprogress: ({ progress, message }) => received.push([name, progress, message]),
      });
    await Promise.all([follow("make_song", SONG), follow("check_order", {}), follow("download_audio", {})]);
    for (const tool of ["make_song", "check_order", "download_audio"]) {
      const own = received.filter(([name]) => name === tool);
      expect(own.map(([, progress]) => progress)).toEqual(own.map((_, index) => index + 1));
      const messages = own.map(([, , message]) => message);
      expect(messages[0]).toMatch(/^(submitting|pending)$/);
      expect(messages).toContainEqual(expect.stringMatching(/^running/));
      expect(messages.at(-1)).toMatch(/^success/);
    }
    const before = received.length;
    await client.callTool({ name: "check_order", arguments: { order: "rain" } });
    expect(received).toHaveLength(before);
    await follow("check_order", {});
    expect(received.slice(before).map(([, , message]) => message)).toEqual([
      "pending",
      expect.stringMatching(/^success/),
    ]);
  });

  test("continues if the service states its progress as a number", async () => {
    const change = (body: string) => body.replace(/"progress":"\d+%"/, '"progress":50');
    const { client } = await connectMcp(its, {}, { change });
    const args = { order: "rain", ...SONG };
    const messages: unknown[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => messages.push(message);
    const result = await client.callTool({ name: "make_song", arguments: args }, undefined, { onprogress });
    expect(result.structuredContent).toMatchObject({ status: "success", progress: null });
    expect(messages).toContain("success");
  });
});

describe("the ceiling", () => {
  test("of a server holds for calls at once", async () => {
    const { call } = await connectMcp(its, { maxCredits: 25 });
    const results = await Promise.all(
      [1, 2, 3, 4].map((index) => call("make_song", { order: `song-${index}`, ...SONG })),
    );
    const refused = results.filter(({ isError }) => isError);
    expect([refused.length, its.posts()]).toEqual([2, 2]);
    for (const { text } of refused) {
      expect(text).toContain("costs 10 credits, and 5 of the 25 that this server may spend are left");
      expect(text).toContain("Nothing was sent or charged.");
    }
  });

  test("of a call refuses a higher price, and the order stays free", async () => {
    const { call } = await connectMcp(its);
    const { isError, text } = await call("make_song", { order: "rain", max_credits: 9, ...SONG });
    expect([isError, its.posts()]).toEqual([true, 0]);
    expect(text).toContain("costs 10 credits, more than the `max_credits` of 9");
    expect((await call("make_song", { order: "rain", max_credits: 10, ...SONG })).isError).toBe(false);
  });

  test("is not used up by what was refused or refunded", async () => {
    const { call } = await connectMcp(its, { maxCredits: 10 });
    its.emulator.faults.add({
      method: "POST",
      fault: { kind: "status", status: 402, error_code: "insufficient_credits", when: "before" },
    });
    const poor = await call("make_song", { order: "rain", ...SONG });
    expect(poor.text).toMatch(
      /was not charged.*top up the account\. After that, call again with the same order/,
    );
    its.emulator.providers.provider_a.next({ outcome: "failure", retryable: true });
    await call("make_song", { order: "fails", ...SONG });
    expect((await call("balance")).data.max_credits_left).toBe(10);

    await call("make_song", { order: "rain", ...SONG });
    // A refused repetition frees nothing.
    await call("write_lyrics", { order: "rain", ...LYRICS });
    expect((await call("balance")).data.max_credits_left).toBe(0);
  });
});

describe("an error says what to do", () => {
  test.each<[string, string, Record<string, unknown>, RegExp]>([
    [
      "no description",
      "make_song",
      {},
      /describes nothing\. Pass `description`.*Nothing was sent or charged\./,
    ],
    ["an unknown field", "make_song", { gpt_description_prompt: "rain" }, /gpt_description_prompt/],
    ["no clip", "continue_song", {}, /continue_clip_id/],
    ["an order with U+0000", "make_song", { ...SONG, order: "x\0y" }, /must not contain U\+0000/],
    ["an order with half a character", "make_song", { ...SONG, order: "\ud800q" }, /half a surrogate pair/],
    ["a blank description", "write_lyrics", { description: " \n" }, /description/],
    ["a negative position", "continue_song", { continue_clip_id: "a", continue_at: -1 }, /continue_at/],
    ["a negative ceiling", "make_song", { ...SONG, max_credits: -1 }, /max_credits/],
    [
      "wrong arguments before the ceiling",
      "make_song",
      { ...SONG, seed: 3, max_credits: 0 },
      /^`seed` is an argument of provider_b\./,
    ],
  ])("for %s, and nothing is sent", async (_, tool, args, advice) => {
    const { call } = await connectMcp(its);
    const { isError, text } = await call(tool, { order: "rain", ...args });
    expect([isError, its.posts()]).toEqual([true, 0]);
    expect(text).toMatch(advice);
  });

  test("for an order that contains the API key", async () => {
    const { call } = await connectMcp(its);
    const order = `order of ${its.emulator.connection().apiKey}`;
    const { isError, text } = await call("make_song", { ...SONG, order });
    expect([isError, text, its.posts()]).toEqual([
      true,
      "`order` must not contain the API key. Nothing was sent or charged. Choose another order, and call again.",
      0,
    ]);
  });

  test("for a key that was deleted", async () => {
    const { call } = await connectMcp(its);
    const account = its.emulator.accounts.get(its.emulator.accountId);
    for (const { key_id } of account.keys) its.emulator.accounts.deleteKey(its.emulator.accountId, key_id);
    for (const [tool, args] of [["make_song", { order: "rain", ...SONG }] as const, ["balance"] as const]) {
      const { isError, text } = await call(tool, args);
      expect([isError, text]).toEqual([true, expect.stringContaining("Report this to the user.")]);
    }
  });

  test("for a connection that failed before anything was sent", async () => {
    its.loseResponse("before");
    its.emulator.faults.add({
      path: "/api/v1/account/*",
      times: 9,
      fault: { kind: "disconnect", when: "before" },
    });
    const { call } = await connectMcp(its);
    const { text } = await call("write_lyrics", { order: "words", ...LYRICS });
    expect(text).toMatch(
      /was not charged\. Call again later with the same order\. If it fails again, report/,
    );
    expect(text).not.toContain("charged twice");
    expect((await call("balance")).text).toMatch(/ Call again later\. If it fails again, report/);
  });

  test("for a journal or a directory that broke after the start: report it, and don't repeat the call", async () => {
    const out = join(its.folder, "out");
    const { call } = await connectMcp(its, { out });
    await call("make_song", { order: "rain", ...SONG });
    await writeFile(out, "not a directory");
    const unsaved = await call("download_audio", { order: "rain" });
    await rm(its.journal, { recursive: true });
    await writeFile(its.journal, "not a directory");
    const unread = await call("check_order", { order: "rain" });
    const unsent = await call("make_song", { order: "rain", ...SONG });
    for (const { isError, text } of [unsaved, unread, unsent]) {
      expect([isError, text]).toEqual([
        true,
        expect.stringMatching(/ENOTDIR[^.]*.*\. Report this to the user/),
      ]);
      expect(text).not.toMatch(/another order|try again/);
    }
    expect(its.posts()).toBe(1);
  });

  test("for a full disk during a download: report it", () => {
    const cause = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const failure = (details: { cause?: Error }) =>
      new AudioDownloadError("Failed to save audio.", {
        url: "https://a.example/",
        status: null,
        ...details,
      });
    expect(instructionFor(failure({ cause }), "rain", { journal: its.journal })).toContain(
      "Report this to the user",
    );
    expect(instructionFor(failure({}), "rain", { journal: its.journal })).toContain(
      "Call again with the same order.",
    );
  });
});

describe("the paths", () => {
  test("of a relative journal and directory are absolute in every result", async () => {
    its.loseResponse();
    const { call, tools } = await connectMcp(its, {
      journal: relative(".", its.journal),
      out: relative(".", its.folder),
    });
    const unknown = await call("make_song", { order: "rain", ...SONG });
    expect(unknown.text).toContain(`--journal ${its.journal} `);
    await call("write_lyrics", { order: "words", ...LYRICS });
    const { data } = await call("download_audio", { order: "words" });
    expect(data.files[0].path.startsWith(its.folder)).toBe(true);
    expect(tools.find(({ name }) => name === "download_audio")?.description).toContain(
      JSON.stringify(its.folder),
    );
  });

  test.each(["--out", "--journal"])("of an unusable %s are refused at the start", async (flag) => {
    const file = join(its.folder, "file");
    await writeFile(file, "");
    const unwritable = process.platform === "linux" ? ["/proc/async-music"] : [];
    for (const path of [file, join(file, "below"), ...unwritable]) {
      const { status, stderr } = await its.run(
        ...["mcp", "--max-credits", "20", "--journal", its.journal, flag, path],
      );
      const expected = `async-music: ${flag} must be a directory in which files can be created; got ${path} (E`;
      expect([status, stderr]).toEqual([2, expect.stringContaining(expected)]);
    }
    const { stderr } = await its.run(...["mcp", "--max-credits", "20", "--journal", its.journal, flag, ""]);
    expect(stderr).toContain(`${flag} is empty`);
  });

  test("of directories that do not exist yet are accepted, and not created at the start", async () => {
    await connectMcp(its, { journal: join(its.folder, "a", "b"), out: join(its.folder, "c", "d") });
    expect(await readdir(its.folder)).toEqual([]);
  });
});

describe("the command", () => {
  async function startServer(clock: "real" | "virtual" = "real") {
    its.emulator = createEmulator({ seed: 1, credits: 1000, clock });
    const served = await serve(its.emulator);
    onTestFinished(() => served.close());
    const env = { ASYNC_MUSIC_API_KEY: its.emulator.apiKey, ASYNC_MUSIC_BASE_URL: served.url };
    return async () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [
          ...["--import", "./tools/loader/run-sources.ts", "cli/main.ts", "mcp"],
          ...["--max-credits", "20", "--journal", its.journal],
        ],
        env,
        stderr: "pipe",
      });
      const connected = await connectClient(transport);
      onTestFinished(() => connected.client.close());
      return { ...connected, transport };
    };
  }

  test("continues after SIGKILL with the same journal: nothing is lost or charged again", async () => {
    const start = await startServer("virtual");
    const killed = await start();
    its.emulator.providers.provider_a.next({ outcome: "success", polls: 2 });
    const lost = killed.call("make_song", { order: "rain", ...SONG }).catch((error: unknown) => error);
    while ((await fileJournal(its.journal).get("rain"))?.state !== "submitted") await tick();
    process.kill(killed.transport.pid ?? 0, "SIGKILL");
    expect(await lost).toBeInstanceOf(Error);

    await its.emulator.clock.advance(300_000);
    const next = await start();
    const { data } = await next.call("make_song", { order: "rain", ...SONG });
    expect([data.status, its.freezes()]).toEqual(["success", 1]);
    expect(next.unreadable).toEqual([]);
  });

  test("never sends a request again that was in flight at SIGKILL", async () => {
    const start = await startServer();
    const killed = await start();
    its.emulator.faults.add({ method: "POST", fault: { kind: "stall" } });
    killed.call("make_song", { order: "rain", ...SONG }).catch(() => {});
    while (its.posts() === 0) await tick();
    process.kill(killed.transport.pid ?? 0, "SIGKILL");

    const next = await start();
    const { isError, text } = await next.call("make_song", { order: "rain", ...SONG });
    expect([isError, text]).toEqual([true, expect.stringContaining("may still be sending its request")]);
    expect(its.posts()).toBe(1);
  });

  test("names everything that is missing at once", async () => {
    const env = { ASYNC_MUSIC_API_KEY: "", ASYNC_MUSIC_BASE_URL: "" };
    const { status, stderr } = await createTerminal(its.emulator, { env }).run("mcp", "--out", "README.md");
    expect(status).toBe(2);
    for (const missing of ["--max-credits", "--journal", "--out", "API key", "service address"])
      expect(stderr).toContain(missing);
  });

  test("records the task of a request in flight when the client leaves", async () => {
    const start = await startServer();
    const leaving = await start();
    its.emulator.faults.add({ method: "POST", fault: { kind: "latency", ms: 300 } });
    leaving.call("make_song", { order: "rain", ...SONG }).catch(() => {});
    while (its.posts() === 0) await tick();
    await leaving.client.close();
    expect(await fileJournal(its.journal).get("rain")).toMatchObject({ state: "submitted" });
  });
});

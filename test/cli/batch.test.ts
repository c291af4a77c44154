import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { settleOutcome } from "../../src/index.js";
import { fileJournal } from "../../src/node/index.js";
import { failWith } from "../support/faults.js";
import { createChangedTerminal, createTerminal, useTerminal } from "./support/terminal.js";

const its = useTerminal({ clips: 2 });
let file: string;
let out: string;
beforeEach(() => {
  file = join(its.folder, "songs.jsonl");
  out = join(its.folder, "songs");
});

const song = (id: string, description = `${id} in Lisbon`) => ({
  ...{ id, model: "provider_a", task_type: "music" },
  input: { gpt_description_prompt: description },
});
const words = (id: string) => ({
  ...{ id, model: "provider_a", task_type: "lyrics", input: { prompt: id } },
});
const calm = (id: string) => ({ id, model: "provider_b", task_type: "music", input: { prompt: id } });

const write = (...lines: readonly (object | string)[]) =>
  writeFile(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
const flags = (...more: string[]) => [
  ...["--out", out, "--journal", its.journal, "--max-credits", "100"],
  ...more,
];
const batch = (...more: string[]) => its.run("batch", file, ...flags(...more));
const linesOf = async (name: string) =>
  (await readFile(join(out, name), "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const saved = async () => (await readdir(out)).filter((name) => !name.endsWith(".jsonl")).sort();
const requests = (part: string) => its.emulator.requests.filter(({ path }) => path.startsWith(part)).length;

test("each line is ordered, and its files are named by its id", async () => {
  await write(song("rain"), "", words("Words of 2"), calm("v1.5"));
  const { status, stdout, stderr } = await batch();
  expect([status, await saved()]).toEqual([0, ["Words of 2.txt", "rain-2.wav", "rain.wav", "v1.5.mp3"]]);
  expect(stdout.split("\n").sort()).toEqual(["", ...(await saved()).map((name) => join(out, name))].sort());
  expect(stderr).toContain("2 songs, 1 set of lyrics, 20 credits (0.20 USD); the balance has 100.");
  expect(stderr).toContain("3 of 3 saved. All lines together cost 20 credits (0.20 USD).");
  expect(await linesOf("results.jsonl")).toEqual([
    expect.objectContaining({ id: "rain", attempt: 1, status: "success", credits: 10, error: null }),
    expect.objectContaining({ id: "Words of 2", status: "success", credits: 5 }),
    expect.objectContaining({ id: "v1.5", status: "success", credits: 5 }),
  ]);
  expect(await linesOf("failed.jsonl")).toEqual([]);
  expect(its.emulator.audit()).toEqual([]);
});

test("a repeated command sends nothing and downloads nothing", async () => {
  await write(song("rain"), words("sea"));
  await batch();
  const before = its.emulator.requests.length;
  const { status, stderr } = await batch();
  expect([status, its.emulator.requests.length - before]).toEqual([0, 0]);
  expect(stderr).toContain("all are ordered already, so nothing is charged now");
});

test("a repeated command downloads only what is missing", async () => {
  await write(song("rain"), song("snow"));
  await batch();
  await rm(join(out, "rain-2.wav"));
  const before = requests("/audio/");
  expect((await batch()).status).toBe(0);
  expect([requests("/audio/") - before, its.freezes()]).toEqual([1, 2]);
  expect(await saved()).toContain("rain-2.wav");
});

test("the results of an unreadable file are read from the service again", async () => {
  await write(song("rain"));
  await batch();
  const first = await linesOf("results.jsonl");
  await writeFile(join(out, "results.jsonl"), '{"id":"rain","sta');
  expect((await batch()).status).toBe(0);
  expect(await linesOf("results.jsonl")).toEqual(first);
});

describe("mistakes", () => {
  const mistakesOf = async () => {
    const { status, stderr } = await batch();
    expect([status, its.bodies]).toEqual([2, []]);
    return stderr.split("\n").filter((line) => line.startsWith("  line "));
  };

  test("all are reported at once, with their lines, and nothing is sent", async () => {
    await write(
      song("rain"),
      '{"id": "snow", "model": provider_a}',
      "[1]",
      { ...song("x"), modle: "provider_a" },
      { ...song("fog"), input: { promt: "mist" } },
      { ...song("sun"), input: { gpt_description_prompt: "sun", title: "Sun" } },
      { ...song("ice"), model: "provider_c" },
      song("rain"),
      song("Rain"),
      song("rain-2"),
      song("con"),
      song("a/b"),
      { ...song("y"), id: 7 },
      { ...song("z"), attempt: 0 },
      { model: "provider_a", task_type: "music", input: { prompt: "a", mood: "low" } },
      `{"id":"big","model":"provider_b","task_type":"music","input":{"prompt":"a","seed":12345678901234567890}}`,
    );
    const found = await mistakesOf();
    const expected = [
      ["line 2", "It is not JSON. Column 25: expected a value."],
      ["line 3", "It is not a JSON object."],
      ["line 4", "Unknown field `modle`. Did you mean `model`?"],
      ["line 5", "Unknown field `input.promt`. Did you mean `input.prompt`?"],
      ["line 5", "`input.prompt` is missing"],
      ["line 6", "ignores `input.title`"],
      ["line 7", "`model` must be provider_a or provider_b"],
      ["line 8", '`id` "rain" is also the one of line 1'],
      ["line 9", '`id` "Rain" and "rain" of line 1 are one file name on macOS and Windows'],
      ["line 10", '`id` "rain-2" is also the file name of a further clip of "rain" in line 1'],
      ["line 11", '`id` "con" is a name that Windows reserves'],
      ["line 12", '`id` "a/b" contains one of'],
      ["line 13", "`id` must be a string"],
      ["line 14", "`attempt` must be a whole number from 1 to 1000"],
      ["line 15", "Unknown field `input.mood`. Remove it."],
      ["line 15", "`id` is missing"],
      ["line 16", "`seed` must be at most"],
    ] as const;
    for (const [line, text] of expected)
      expect(found.filter((each) => each.startsWith(`  ${line}:`)).join()).toContain(text);
    expect(found).toHaveLength(expected.length);
  });

  test("a file that is a JSON array has one", async () => {
    await writeFile(file, JSON.stringify([song("rain"), song("snow")], null, 2));
    expect(await mistakesOf()).toEqual([expect.stringContaining("line 1: The file is a JSON array.")]);
  });

  test("a line that is not UTF-8 is named", async () => {
    await writeFile(
      file,
      Buffer.concat([Buffer.from(`${JSON.stringify(song("a"))}\n`), Buffer.from([0xff])]),
    );
    expect(await mistakesOf()).toEqual([expect.stringContaining("line 2: It is not UTF-8")]);
  });

  test.each([
    "",
    ".hidden",
    "-rf",
    " a",
    "a.",
    "NUL.tar",
    "com1",
    "LPT¹",
    "a\u0000b",
    "a\u202eb",
    "\ud800",
    "x.wav",
    "é".repeat(101),
  ])("the id %j is no safe file name", async (id) => {
    await write(song(id));
    expect(await mistakesOf()).toEqual([expect.stringContaining("line 1: `id` ")]);
  });

  test("composed and decomposed accents are one file name", async () => {
    await write(song("caf\u00e9"), song("cafe\u0301"));
    expect(await mistakesOf()).toEqual([expect.stringContaining("line 2")]);
  });

  test("a changed line under the same id is refused", async () => {
    await write(song("rain"));
    await batch();
    its.bodies.length = 0;
    await write(song("snow"), song("rain", "something else"));
    expect(await mistakesOf()).toEqual([
      expect.stringContaining('line 2: The journal has another request for `id` "rain".'),
    ]);
  });

  test("a file that a new order would have to replace is refused", async () => {
    await mkdir(out);
    await writeFile(join(out, "Rain-2.WAV"), "mine");
    await write(song("rain"));
    expect(await mistakesOf()).toEqual([expect.stringContaining('line 1: "Rain-2.WAV" exists in --out.')]);
  });

  test("with --json, the document has them", async () => {
    await write(song("con"));
    const { status, stdout } = await batch("--json");
    const { error } = JSON.parse(stdout);
    expect([status, error.name, error.mistakes]).toEqual([
      2,
      "UsageError",
      [{ line: 1, message: expect.stringContaining("Windows") }],
    ]);
  });
});

describe("CSV", () => {
  beforeEach(() => {
    file = join(its.folder, "songs.CSV");
  });

  test("its columns are the fields of the request and of its input", async () => {
    await writeFile(
      file,
      "\uFEFFid,model,task_type,audio_format,prompt,tags,make_instrumental,seed\r\n" +
        'rain,provider_a,music,mp3,"It ""rains"",\r\nand rains",fado,TRUE,\r\n' +
        "\r\n" +
        "calm,provider_b,music,,slow folk,,,35\r\n",
    );
    expect((await batch("--concurrency", "1")).status).toBe(0);
    expect(its.bodies).toEqual([
      {
        ...{ model: "provider_a", task_type: "music", audio_format: "mp3" },
        input: { prompt: 'It "rains",\r\nand rains', tags: "fado", make_instrumental: true },
      },
      { model: "provider_b", task_type: "music", input: { prompt: "slow folk", seed: 35 } },
    ]);
    expect(await saved()).toEqual(["calm.mp3", "rain-2.mp3", "rain.mp3"]);
  });

  test("numbers may have an exponent, as spreadsheets write them", async () => {
    await writeFile(
      file,
      "id,model,task_type,prompt,seed,continue_clip_id,continue_at\n" +
        "a,provider_b,music,x,1e3,,\nb,provider_a,music,,,11111111-1111-4111-8111-111111111111,1.5E+01\n",
    );
    await batch("--concurrency", "1");
    expect(its.bodies).toMatchObject([{ input: { seed: 1000 } }, { input: { continue_at: 15 } }]);
  });

  const stderrOf = async (text: string) => {
    await writeFile(file, text);
    const { status, stderr } = await batch();
    expect([status, its.bodies]).toEqual([2, []]);
    return stderr;
  };

  test("mistakes have the line on which their record begins", async () => {
    const stderr = await stderrOf(
      'id,model,task_type,prompt,seed\na,provider_a,music,"two\nlines",\n\nb,provider_b,music,x,many\n' +
        "c,provider_b,music,x,1,2\nd,provider_b,music\n",
    );
    expect(stderr).toContain("line 5: `input.seed` must be a whole number.");
    expect(stderr).toContain("line 6: It has 6 values, and the header has 5.");
    expect(stderr).toContain("line 7: It has 3 values, and the header has 5.");
    expect(stderr).not.toContain("line 2");
  });

  test("a wrong header is explained", async () => {
    const stderr = await stderrOf("id,modle,task_type,prompt,prompt,\nrain,provider_a,music,x,y,\n");
    expect(stderr).toContain("line 1: Unknown field `modle`. Did you mean `model`?");
    expect(stderr).toContain("line 1: The column `prompt` occurs twice.");
    expect(stderr).toContain("line 1: Column 6 has no name.");
    expect(stderr).toContain("line 1: The column `model` is missing.");
    expect(await stderrOf("id;model;task_type\n")).toContain("Separate the columns with commas.");
  });

  test.each([
    ['a,provider_b,music,"open\nb,provider_b,music,x\n', "does not end with one"],
    ['a,provider_b,music,x "y" z\n', "A value contains a double quote."],
    ['a,provider_b,music,"x"y\n', "must follow the closing double quote"],
  ])("wrong quotes have their line", async (row, text) => {
    const stderr = await stderrOf(`id,model,task_type,prompt\n\n${row}`);
    expect(stderr).toContain("line 3: ");
    expect(stderr).toContain(text);
  });
});

describe("price", () => {
  const ask = async (stdin: string) => {
    await write(song("rain"), words("sea"));
    const interactive = createTerminal(its.emulator, { isTerminal: true, isInteractive: true, stdin });
    const result = await interactive.run("batch", file, ...flags());
    return { ...result, bodies: interactive.bodies };
  };

  test.each(["y\n", "Yes\r\n", "y"])("the answer %j orders", async (answer) => {
    const { status, stderr, bodies } = await ask(answer);
    expect([status, bodies.length]).toEqual([0, 2]);
    expect(stderr).toContain(
      "1 song, 1 set of lyrics, 15 credits (0.15 USD); the balance has 100.\nOrder? [y/N] ",
    );
  });

  test.each(["n\n", "\n", "", "yikes\n"])("the answer %j sends nothing", async (answer) => {
    const { status, stderr, bodies } = await ask(answer);
    expect([status, bodies]).toEqual([2, []]);
    expect(stderr).toContain("Nothing was sent.");
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s at the question sends nothing", async (signal) => {
    await write(song("rain"));
    const interactive = createTerminal(its.emulator, { isTerminal: true, isInteractive: true, stdin: null });
    const asked = interactive.run("batch", file, ...flags("--json"));
    await vi.waitFor(() => expect(interactive.listeners.size).toBe(1));
    interactive.signal(signal);
    const { status, stdout } = await asked;
    expect([status > 128, interactive.bodies, interactive.listeners.size]).toEqual([true, [], 0]);
    expect(JSON.parse(stdout).error).toMatchObject({ name: "Interrupted" });
  });

  test("without a terminal, --max-credits is the consent", async () => {
    await write(song("rain"));
    expect((await its.run("batch", file, ...flags("--max-credits", "9"))).status).toBe(5);
    const { status, stderr } = await its.run("batch", file, ...flags("--max-credits", "10"));
    expect([status, its.freezes()]).toEqual([0, 1]);
    expect(stderr).toContain("1 song, 10 credits");
  });

  test("a file as --out is refused before anything is sent", async () => {
    await write(song("a"));
    await writeFile(out, "");
    const { status, stderr } = await batch();
    expect([status, its.emulator.requests]).toEqual([2, []]);
    expect(stderr).toContain(`Failed to save in ${out}: ENOTDIR`);
  });

  test("results of an earlier command that can't be read stop the batch before anything is sent", async () => {
    await write(song("a"));
    await mkdir(join(out, "results.jsonl"), { recursive: true });
    const { status, stderr } = await batch();
    expect([status, its.bodies]).toEqual([1, []]);
    expect(stderr).toContain(`Failed to read ${join(out, "results.jsonl")}: EISDIR`);
  });

  test("--concurrency may exceed the number of lines", async () => {
    await write(song("a"));
    expect((await batch("--concurrency", "9007199254740991")).status).toBe(0);
  });

  test("beyond --max-credits nothing is sent", async () => {
    await write(...["a", "b", "c"].map((id) => song(id)));
    const { status, stderr } = await batch("--max-credits", "29");
    expect([status, its.bodies]).toEqual([5, []]);
    expect(stderr).toContain("The lines to order cost 30 credits, and --max-credits is 29.");
    expect((await batch("--max-credits", "30")).status).toBe(0);
  });

  test("what the service states as less than the price counts with its price", async () => {
    await write(song("a"));
    const changed = async (response: Response, { method }: Request) => {
      if (method !== "POST") return response;
      const body = await response.json();
      return Response.json({ ...body, data: { ...body.data, credits_charged: -1000 } }, response);
    };
    await createChangedTerminal(its.emulator, changed).run("batch", file, ...flags());
    await write(song("a"), song("b"));
    expect((await batch("--max-credits", "19")).status).toBe(5);
    expect(its.freezes()).toBe(1);
  });

  test("what is in the journal counts as paid, and towards --max-credits", async () => {
    await write(song("a"));
    await batch();
    await write(song("a"), song("b"));
    const refused = await batch("--max-credits", "19");
    expect([refused.status, refused.stderr]).toEqual([
      5,
      expect.stringContaining("Earlier orders of these lines count as 10 credits. Nothing was sent."),
    ]);
    const { status, stderr } = await batch("--max-credits", "20");
    expect([status, its.freezes()]).toEqual([0, 2]);
    expect(stderr).toContain(
      "1 song, 10 credits (0.10 USD); the balance has 90 (1 of 2 lines need no payment).",
    );
  });

  test("a batch ends when the balance is used up, and continues after a top-up", async () => {
    await write(...Array.from({ length: 12 }, (_, index) => song(`song ${index}`)));
    const first = await batch("--max-credits", "200");
    expect(first.status).toBe(5);
    expect(first.stderr).toContain("The balance lacks 20 credits.");
    expect((await linesOf("results.jsonl")).filter(({ status }) => status === "success")).toHaveLength(10);
    its.emulator.accounts.topUp(its.emulator.accountId, { usd: 10, method: "card" });
    expect((await batch("--max-credits", "200")).status).toBe(0);
    expect(its.freezes()).toBe(12);
  });
});

describe("failures", () => {
  test("a failed line is ordered again under a key of its own, from failed.jsonl", async () => {
    await write(song("rain"), song("snow"));
    its.emulator.providers.provider_a.next({ outcome: "failure", error_code: "upstream_provider_error" });
    const first = await batch("--concurrency", "1");
    expect(first.status).toBe(17);
    const [rain, snow] = await linesOf("results.jsonl");
    expect(rain).toMatchObject({ status: "failure", credits: 0, files: [] });
    expect(rain.error).toMatchObject({ name: "TaskFailedError", errorCode: "upstream_provider_error" });
    expect(snow).toMatchObject({ status: "success" });
    expect(await linesOf("failed.jsonl")).toEqual([{ ...song("rain"), attempt: 2 }]);

    // The same command reports the failure again, and pays for nothing.
    expect([(await batch()).status, its.freezes()]).toEqual([17, 2]);
    const retry = await its.run("batch", join(out, "failed.jsonl"), ...flags());
    expect([retry.status, its.freezes()]).toEqual([0, 3]);
    expect(await saved()).toEqual(["rain-2.wav", "rain.wav", "snow-2.wav", "snow.wav"]);
    // From now on the whole file is complete.
    expect([(await batch()).status, its.freezes()]).toEqual([0, 3]);
    expect(await linesOf("results.jsonl")).toMatchObject([{ id: "rain", attempt: 2 }, { id: "snow" }]);
  });

  test("a request that can never succeed is not sent again", async () => {
    await write(song("rain"));
    its.emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
    await batch();
    const failed = join(out, "failed.jsonl");
    const retry = await its.run("batch", failed, ...flags());
    expect([retry.status, its.freezes()]).toEqual([17, 1]);
    expect((await linesOf("results.jsonl"))[0].error.message).toContain("Change the request.");
    expect(retry.stderr).toContain(`requests can never succeed. Change them in ${failed} first.\nTo order`);
    expect(retry.stderr).not.toContain("To continue");
    await writeFile(failed, JSON.stringify({ ...song("rain", "sun"), attempt: 2 }));
    expect([(await its.run("batch", failed, ...flags())).status, its.freezes()]).toEqual([0, 2]);
    expect(its.emulator.audit()).toEqual([]);
  });

  test("the whole file finds the order of a line whose input was changed in failed.jsonl", async () => {
    await write(song("rain"), song("snow"));
    const fail = (error_code: "content_moderation" | "upstream_provider_error") =>
      its.emulator.providers.provider_a.next({ outcome: "failure", error_code });
    fail("content_moderation");
    await batch("--concurrency", "1");
    const failed = join(out, "failed.jsonl");
    const sun = song("rain", "sun");
    await writeFile(failed, JSON.stringify({ ...sun, attempt: 2 }));
    fail("upstream_provider_error");
    expect((await its.run("batch", failed, ...flags())).status).toBe(17);
    // The whole file has the first request, and repeats the last one.
    expect([(await batch()).status, its.freezes()]).toEqual([17, 3]);
    expect(await linesOf("failed.jsonl")).toEqual([{ ...sun, attempt: 3 }]);
    expect([(await its.run("batch", failed, ...flags())).status, its.freezes()]).toEqual([0, 4]);
    expect([(await batch()).status, its.freezes()]).toEqual([0, 4]);
    expect(await linesOf("results.jsonl")).toMatchObject([
      { id: "rain", attempt: 3, status: "success" },
      { id: "snow", attempt: 1, status: "success" },
    ]);
    expect(its.bodies.at(-1)).toMatchObject({ input: sun.input });
    expect(its.emulator.audit()).toEqual([]);
  });

  test("an order with an unknown outcome is listed, and never sent again", async () => {
    await write(song("rain"), song("snow"));
    its.loseResponse();
    const first = await batch("--concurrency", "1");
    expect(first.status).toBe(17);
    expect(first.stderr).toContain(`async-music settle rain --journal ${its.journal} --task-id TASK_ID`);
    expect(first.stderr).toContain(`async-music settle rain --journal ${its.journal} --not-created`);
    expect(first.stderr).toContain("All lines together cost 10 credits (0.10 USD), and what is unknown.");
    expect((await linesOf("results.jsonl"))[0]).toMatchObject({ status: "unknown", credits: null });
    expect(await linesOf("failed.jsonl")).toEqual([]);
    expect([(await batch()).status, its.freezes()]).toEqual([17, 2]);

    const [freeze] = its.emulator.accounts
      .get(its.emulator.accountId)
      .ledger.filter((each) => each.kind === "freeze");
    expect(await settleOutcome(fileJournal(its.journal), "rain", freeze?.task_id ?? "")).toBe(true);
    expect([(await batch()).status, its.freezes()]).toEqual([0, 2]);
  });

  test("is also named if the results can't be written", async () => {
    await write(song("rain"));
    const { run } = createChangedTerminal(its.emulator, async (response, { method }) => {
      if (method !== "POST") return response;
      await mkdir(join(out, "results.jsonl"), { recursive: true });
      throw new TypeError("fetch failed");
    });
    const { status, stdout, stderr } = await run("batch", file, ...flags("--json"));
    expect([status, JSON.parse(stdout).results]).toEqual([17, [expect.objectContaining({ id: "rain" })]]);
    expect(stderr).toContain(`async-music settle rain --journal ${its.journal} --not-created`);
    expect(stderr).toContain(`Failed to write ${join(out, "results.jsonl")}: EISDIR`);
    expect(stderr).toMatch(/run the same command again.*\n$/);
    expect(stderr).not.toContain("Results:");
  });

  test("a file that another process with the same order saves meanwhile is kept", async () => {
    await write(song("rain"));
    const { run } = createChangedTerminal(its.emulator, async (response, { url }) => {
      if (!url.includes("/audio/")) return response;
      // While the audio is being saved.
      const appear = new TransformStream({ flush: () => writeFile(join(out, "rain.wav"), "mine") });
      return new Response(response.body?.pipeThrough(appear), response);
    });
    expect((await run("batch", file, ...flags())).status).toBe(0);
    const [{ files }] = await linesOf("results.jsonl");
    expect(files).toContainEqual(expect.objectContaining({ path: join(out, "rain.wav") }));
    expect(await readFile(join(out, "rain.wav"), "utf8")).toBe("mine");
  });

  test("after three unknown outcomes in a row, nothing more is sent", async () => {
    await write(...["a", "b", "c", "d", "e"].map((id) => words(id)));
    its.emulator.faults.add({ method: "POST", times: 9, fault: failWith(500, "after") });
    const { status, stderr } = await batch("--concurrency", "1");
    expect([status, its.bodies.length]).toEqual([9, 3]);
    expect(stderr).toContain("To continue, run the same command again. It pays for nothing twice.");
    expect(stderr).not.toContain("to avoid a duplicate charge");
  });

  test("a failed download is repeated by the same command, without a charge", async () => {
    await write(song("rain"));
    its.emulator.faults.add({ path: "/audio/*", times: 20, fault: failWith(503) });
    expect((await batch()).status).toBe(17);
    expect((await linesOf("results.jsonl"))[0]).toMatchObject({ status: "not_saved", credits: 10 });
    expect(await linesOf("failed.jsonl")).toEqual([song("rain")]);
    its.emulator.faults.clear();
    expect([(await batch()).status, its.freezes()]).toEqual([0, 1]);
  });

  test("a song without clips is not saved, and the same command reads it again, without a charge", async () => {
    await write(song("rain"));
    const { run } = createChangedTerminal(its.emulator, async (response, { url }) => {
      if (!url.includes("/api/v1/task/")) return response;
      const body = await response.json();
      if (body.data.status === "success") body.data.output.result = [];
      return Response.json(body, response);
    });
    const { status, stderr } = await run("batch", file, ...flags());
    expect(stderr).toContain("0 of 1 saved, 1 failed.");
    expect([status, await linesOf("results.jsonl")]).toEqual([
      17,
      [expect.objectContaining({ status: "not_saved", credits: 10, files: [] })],
    ]);
    expect([(await batch()).status, its.freezes()]).toEqual([0, 1]);
    expect(await saved()).toEqual(["rain-2.wav", "rain.wav"]);
  });
});

describe("audio that returns 404", () => {
  const WEEK_MS = 7 * 24 * 3_600_000;
  const answer404 = (times: number) =>
    its.emulator.faults.add({ path: "/audio/*", times, fault: failWith(404) });
  const batchFailed = () => its.run("batch", join(out, "failed.jsonl"), ...flags());
  const read = (...path: string[]) => readFile(join(out, ...path));
  const age = (ms: number) => its.emulator.clock.advance(ms);
  /** Orders these songs, removes a clip of the first one, and lets the time pass. */
  const loseClip = async (ageMs: number, ...ids: string[]) => {
    await write(...ids.map((id) => song(id)));
    await batch();
    await rm(join(out, `${ids[0]}-2.wav`));
    await age(ageMs);
  };

  test.each(["the whole file", "failed.jsonl"])(
    "within seven days it is tried again without a charge, by %s",
    async (name) => {
      await write(song("rain"));
      answer404(2);
      const { status, stderr } = await batch();
      expect([status, await saved()]).toEqual([17, []]);
      expect(stderr).toContain("run the same command again");
      expect(stderr).not.toContain("which is charged");
      expect(await linesOf("failed.jsonl")).toEqual([song("rain")]);
      await age(WEEK_MS - 3_600_000);
      const again = await (name === "failed.jsonl" ? batchFailed() : batch());
      expect([again.status, await saved(), its.freezes()]).toEqual([0, ["rain-2.wav", "rain.wav"], 1]);
      expect(its.emulator.audit()).toEqual([]);
    },
  );

  test("a second clip within seven days completes the line", async () => {
    await write(song("rain"));
    await batch("--concurrency", "1");
    await rm(join(out, "rain-2.wav"));
    answer404(1);
    expect((await batch()).status).toBe(17);
    const first = await read("rain.wav");
    expect([(await batchFailed()).status, await saved(), its.freezes()]).toEqual([
      ...[0, ["rain-2.wav", "rain.wav"], 1],
    ]);
    expect(await read("rain.wav")).toEqual(first);
  });

  test("after seven days a new order replaces it, and the clips of the first one are kept apart", async () => {
    await loseClip(WEEK_MS, "rain", "snow");
    const first = await read("rain.wav");
    const { stderr } = await batch();
    expect(stderr).toContain("once more, which is charged");
    expect(await linesOf("failed.jsonl")).toEqual([{ ...song("rain"), attempt: 2 }]);
    expect([(await batchFailed()).status, its.freezes()]).toEqual([0, 3]);
    expect(await saved()).toEqual(["attempt-1", "rain-2.wav", "rain.wav", "snow-2.wav", "snow.wav"]);
    expect(await readdir(join(out, "attempt-1"))).toEqual(["rain.wav"]);
    expect(await read("attempt-1", "rain.wav")).toEqual(first);
    expect(await read("rain.wav")).not.toEqual(first);
    // The whole file finds the new order, although the first one was not refunded.
    const before = requests("/audio/");
    expect([(await batch()).status, its.freezes(), requests("/audio/") - before]).toEqual([0, 3, 0]);
    expect(await linesOf("results.jsonl")).toMatchObject([{ id: "rain", attempt: 2 }, { id: "snow" }]);
    expect(its.emulator.audit()).toEqual([]);
  });

  test.each([
    ["behind", -WEEK_MS, WEEK_MS, [{ ...song("rain"), attempt: 2 }]],
    ["ahead", WEEK_MS, 0, [song("rain")]],
  ])("the clock of the service decides, if that of the machine is %s", async (_, skewMs, ageMs, failed) => {
    await loseClip(ageMs, "rain");
    answer404(2);
    const { clock, ...rest } = its.emulator.connection();
    const skewed = { ...clock, now: () => clock.now() + skewMs, sleep: clock.sleep.bind(clock) };
    const machine = createTerminal({ connection: () => ({ ...rest, clock: skewed }) });
    expect((await machine.run("batch", file, ...flags())).status).toBe(17);
    expect(await linesOf("failed.jsonl")).toEqual(failed);
    expect(its.emulator.audit()).toEqual([]);
  });

  test("while the service cannot be read, the clock of the machine decides nothing", async () => {
    await loseClip(WEEK_MS, "rain");
    let isSaving = false;
    const failing = createChangedTerminal(its.emulator, (response, { url }) => {
      isSaving ||= url.includes("/audio/");
      return isSaving && url.includes("/task/") ? new Response("", { status: 503 }) : response;
    });
    expect((await failing.run("batch", file, ...flags())).status).toBe(17);
    expect(await linesOf("failed.jsonl")).toEqual([song("rain")]);
    expect((await batch()).status).toBe(17);
    expect(await linesOf("failed.jsonl")).toEqual([{ ...song("rain"), attempt: 2 }]);
  });

  test("the charge of the first order counts towards --max-credits, and in the results", async () => {
    await loseClip(WEEK_MS, "rain", "snow");
    await batch();
    const failed = join(out, "failed.jsonl");
    const limited = (path: string, credits: string) =>
      its.run("batch", path, ...flags("--max-credits", credits));
    expect([(await limited(failed, "19")).status, its.freezes()]).toEqual([5, 2]);
    const second = await limited(failed, "20");
    expect([second.status, its.freezes()]).toEqual([0, 3]);
    expect(second.stderr).toContain("All lines together cost 20 credits");
    await write(song("rain"), song("snow"), song("sun"));
    expect([(await limited(file, "39")).status, its.freezes()]).toEqual([5, 3]);
    expect([(await limited(file, "40")).status, its.freezes()]).toEqual([0, 4]);
    expect((await linesOf("results.jsonl")).map(({ credits }) => credits)).toEqual([20, 10, 10]);
  });

  test("an interrupted command still knows the clips of the lines that it did not reach", async () => {
    await write(song("rain"), song("snow"));
    await batch();
    for (const name of ["rain-2.wav", "snow-2.wav"]) await rm(join(out, name));
    await age(WEEK_MS);
    await batch();
    const stop = its.emulator.onRequest(() => its.signal("SIGINT"));
    expect((await batch("--concurrency", "1")).status).toBe(130);
    stop();
    expect([(await batchFailed()).status, its.freezes()]).toEqual([0, 4]);
    expect((await readdir(join(out, "attempt-1"))).sort()).toEqual(["rain.wav", "snow.wav"]);
  });

  test("a file that no earlier attempt has saved still keeps a new order from being sent", async () => {
    await write(song("rain"));
    await batch();
    await rm(join(out, "rain.wav"));
    await rm(join(out, "rain-2.wav"));
    await age(WEEK_MS);
    await batch();
    await writeFile(join(out, "rain.wav"), "mine");
    const { status, stderr } = await batchFailed();
    expect([status, its.freezes(), String(await read("rain.wav"))]).toEqual([2, 1, "mine"]);
    expect(stderr).toContain('"rain.wav" exists in --out.');
  });
});

describe("interruption", () => {
  test("after Ctrl-C, the same command continues and pays for nothing twice", async () => {
    await write(...["a", "b", "c", "d"].map((id) => song(id)));
    const stop = its.emulator.onRequest(
      ({ path }) => path.startsWith("/api/v1/task/") && its.signal("SIGINT"),
    );
    const first = await batch("--concurrency", "2");
    stop();
    expect([first.status, its.listeners.size]).toEqual([130, 0]);
    expect(first.stderr).toContain("run the same command again");
    expect((await linesOf("results.jsonl")).map(({ status }) => status)).toContain("not_sent");
    expect(its.freezes()).toBeLessThan(4);
    expect([(await batch()).status, its.freezes()]).toEqual([0, 4]);
  });

  test("a response in flight is awaited and recorded", async () => {
    await write(song("a"), song("b"));
    const stop = its.emulator.onRequest(({ method }) => method === "POST" && its.signal("SIGINT"));
    expect((await batch("--concurrency", "1")).status).toBe(130);
    stop();
    expect(await linesOf("results.jsonl")).toMatchObject([
      { id: "a", status: "pending", credits: 10, error: null },
      { id: "b", status: "not_sent" },
    ]);
    expect([(await batch()).status, its.freezes()]).toEqual([0, 2]);
  });
});

test("the results have no API key that the service echoes", async () => {
  await write(song("rain"));
  const { apiKey } = its.emulator;
  const echoing = async (response: Response, { url }: Request) => {
    if (!url.includes("/task/")) return response;
    const { code, data } = await response.json();
    for (const clip of data.output?.result ?? []) clip.id = `clip-${apiKey}`;
    return Response.json({ code, data }, response);
  };
  await createChangedTerminal(its.emulator, echoing).run("batch", file, ...flags());
  const [{ files }] = await linesOf("results.jsonl");
  expect(files).toContainEqual(expect.objectContaining({ clip_id: "clip-[redacted]" }));
  expect(await readFile(join(out, "results.jsonl"), "utf8")).not.toContain(apiKey);
});

test("with --json, the only document has the result of each line", async () => {
  await write(words("sea"));
  const { status, stdout } = await batch("--json");
  const { results } = JSON.parse(stdout);
  expect([status, results]).toEqual([0, await linesOf("results.jsonl")]);
  expect(results[0].files).toEqual([
    { path: join(out, "sea.txt"), content_type: "text/plain; charset=utf-8", clip_id: null },
  ]);
});

test("on a terminal, one line shows the counts and an estimate", async () => {
  await write(song("rain"), song("snow"));
  const live = createTerminal(its.emulator, { isTerminal: true });
  const { stderr } = await live.run("batch", file, ...flags("--concurrency", "1"));
  expect(stderr).toMatch(/1 of 2 {2}50 % {2}\d+:\d\d, about \d+ \w+ left/);
});

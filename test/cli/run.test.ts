import { link, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DESCRIBED_INPUTS, type DescribedInput, neededFields } from "../../src/contract/input-texts.js";
import type { FieldRule } from "../../src/contract/inputs.js";
import { TASK_TYPES } from "../../src/contract/service.js";
import { createChangedTerminal, createTerminal, expectOneLine, useTerminal } from "./support/terminal.js";

const its = useTerminal({ clips: 1 });

const CLIP_ID = "11111111-1111-4111-8111-111111111111";
const URL = "https://example.com/hum.mp3";

test.each<[line: string, input: object, fields?: object]>([
  ["-d rain", { gpt_description_prompt: "rain" }],
  ["music -d rain --negative-tags polka", { gpt_description_prompt: "rain", negative_tags: "polka" }],
  ["-d rain --make-instrumental", { gpt_description_prompt: "rain", make_instrumental: true }],
  ["-d rain --model-version v5", { gpt_description_prompt: "rain", model_version: "v5" }],
  ["-d rain --format mp3", { gpt_description_prompt: "rain" }, { audio_format: "mp3" }],
  ["--prompt words --tags folk --title Rain", { prompt: "words", tags: "folk", title: "Rain" }],
  [`--continue-clip-id ${CLIP_ID} --continue-at 9.5`, { continue_clip_id: CLIP_ID, continue_at: 9.5 }],
  [
    "--model provider_b --prompt folk --lyrics la --tags slow --lyrics-type user --seed -7",
    { prompt: "folk", lyrics: "la", tags: "slow", lyrics_type: "user", seed: -7 },
    { model: "provider_b" },
  ],
  [`--continue-clip-id ${CLIP_ID} --continue-at 1e-3`, { continue_clip_id: CLIP_ID, continue_at: 0.001 }],
  ["--model provider_b --prompt folk --seed -1E+3", { prompt: "folk", seed: -1000 }, { model: "provider_b" }],
  ["lyrics --prompt sea", { prompt: "sea" }, { task_type: "lyrics" }],
  [`upload --url ${URL} --format mp3`, { url: URL }, { task_type: "upload", audio_format: "mp3" }],
  [`concat --clip-id ${CLIP_ID}`, { clip_id: CLIP_ID }, { task_type: "concat" }],
])("run %s sends one request", async (line, input, fields) => {
  await its.run("run", ...line.split(" "), "--no-download");
  expect(its.bodies).toEqual([{ model: "provider_a", task_type: "music", ...fields, input }]);
});

test.each([
  ["-d rain --tags folk", "--tags"],
  ["-d rain --lyrics la", "--lyrics"],
  ["lyrics --prompt sea --title Rain", "--title"],
  ["lyrics -d sea", "--gpt-description-prompt"],
  ["--prompt words --url https://example.com/", "--url"],
  ["--model provider_b --prompt folk --make-instrumental", "--make-instrumental"],
  ["", "The request is empty"],
  ["-d rain --journal j", "--key"],
  ["-d rain --key k", "--journal"],
  ["-d rain --file request.json", "--gpt-description-prompt"],
  ["lyrics --file request.json --format mp3", "--format"],
  ["-d rain --max-wait 0", "--max-wait"],
  ["-d rain --max-wait soon", "--max-wait"],
  ["-d rain --out=", "--out"],
  ["--prompt= --tags shanty", "--prompt is empty"],
  ["-d rain --format wav", "--format"],
  ["songs -d rain", TASK_TYPES.slice(0, -1).join(", ")],
  ["lyrics", '--prompt "a lighthouse"'],
  ["upload", "--url"],
  ["concat", "--clip-id"],
  ["--model provider_b", "--prompt"],
  ["rain_in_a_wrong_place", '-d "rain in Lisbon"'],
  ["lyrics rain_in_a_wrong_place", '--prompt "a lighthouse"'],
  ["upload rain_in_a_wrong_place", "--url"],
  ["music rain_in_a_wrong_place --model provider_b", "--prompt"],
  ["music rain in_a_wrong_place -d rain", "takes only the type"],
  ["-d rain --api-key key_in_a_wrong_place", "ASYNC_MUSIC_API_KEY"],
  ["-d rain --api-key=key_in_a_wrong_place", "ASYNC_MUSIC_API_KEY"],
  ["-d rain --apikey=key_in_a_wrong_place", "--apikey"],
])("run %s is a misuse: one line with %s, and nothing is sent", async (line, named) => {
  const result = await its.run("run", ...line.split(" ").filter((word) => word !== ""));
  expectOneLine(result, 2, named);
  expect(its.bodies).toEqual([]);
  expect(result.stderr).not.toContain("in_a_wrong_place");
});

describe("the result", () => {
  test.each(TASK_TYPES)("of %s is saved", async (type) => {
    const { task } = JSON.parse((await its.song("--no-download", "--json")).stdout);
    const described = DESCRIBED_INPUTS.find((each) => each.task_type === type) as DescribedInput;
    const flags = neededFields(described).flatMap((name) => {
      const { clipOf, isPublicUrl } = described.fields[name] as FieldRule;
      const text = isPublicUrl ? URL : "rain";
      return [`--${name.replaceAll("_", "-")}`, clipOf === undefined ? text : task.output.result[0].id];
    });
    const { status, stdout, stderr } = await its.run("run", type, ...flags, "--out", `${its.folder}/`);
    expect([status, stderr]).toEqual([0, expect.stringContaining("Done.")]);
    for (const path of stdout.trimEnd().split("\n")) expect(await readFile(path)).not.toHaveLength(0);
  });

  test("is saved with its real extension, and stdout has only the paths", async () => {
    its.emulator.providers.provider_a.next({ outcome: "success", clips: 2 });
    const { status, stdout, stderr } = await its.song("--out", `${its.folder}/songs/`);
    const paths = stdout.trimEnd().split("\n");
    expect([status, paths.length]).toEqual([0, 2]);
    for (const path of paths) {
      expect(path.startsWith(`${its.folder}/songs/`)).toBe(true);
      expect((await readFile(path)).subarray(8, 12).toString()).toBe("WAVE");
      expect(path).toMatch(/^.*\/[\p{L}\d-]+-[0-9a-f]{8}\.wav$/u);
    }
    expect(stderr).toMatch(/Task [0-9a-f-]{36} is submitted, and 10 credits \(0\.10 USD\) are frozen/);
  });

  const terminalWith = (change: (clip: Record<string, unknown>) => void) =>
    createChangedTerminal(its.emulator, async (response, { url }) => {
      if (!url.includes("/task/")) return response;
      const { data } = await response.json();
      for (const clip of data.output?.result ?? []) change(clip);
      return Response.json({ code: 200, data });
    });

  test("is one file per clip, even if IDs of several tasks begin alike", async () => {
    const ids = new Map<string, string>();
    const { run, song } = terminalWith((clip) => {
      const id = String(clip["id"]);
      ids.set(id, ids.get(id) ?? `0190f3c2-6a4d-7f3b-9a51-00000000000${ids.size}`);
      Object.assign(clip, { id: ids.get(id), title: "Rain" });
    });
    its.emulator.providers.provider_a.always({ clips: 2 });
    const first = await song("--out", `${its.folder}/`);
    const second = await run("run", "-d", "more rain", "--out", `${its.folder}/`);
    expect(new Set(`${first.stdout}${second.stdout}`.trimEnd().split("\n")).size).toBe(4);
    expect(await readdir(its.folder)).toHaveLength(4);
  });

  test.each([
    { title: null, metadata: null },
    { title: null, metadata: { duration: null } },
    { title: 7, metadata: { duration: "long" } },
  ])("is saved if a clip has %o", async (fields) => {
    const { song } = terminalWith((clip) => Object.assign(clip, fields));
    its.emulator.providers.provider_a.next({ outcome: "success", clips: 2 });
    const { status, stderr } = await song("--out", `${its.folder}/`);
    expect([status, (await readdir(its.folder)).length]).toEqual([0, 2]);
    expect(stderr).toMatch(/Done\. It cost 10 credits \(0\.10 USD\)\.\n$/);
  });

  test.each([
    ["is saved except for a clip that returns 404", [200, 404, 200], 404],
    ["has the error of another clip, if one returns 404", [404, 403], 403],
  ])("%s", async (_, downloads, expected) => {
    its.emulator.providers.provider_a.next({ outcome: "success", clips: downloads.length });
    const saved = downloads.filter((download) => download === 200).length;
    const statuses = [...downloads];
    const { song } = createChangedTerminal(its.emulator, (response, { url }) => {
      const status = url.includes("/api/v1/") ? 200 : (statuses.shift() ?? 200);
      return status === 200 ? response : new Response("", { status });
    });
    const { status, stdout, stderr } = await song("--out", `${its.folder}/`);
    expect([status, stdout.split("\n").length - 1]).toEqual([14, saved]);
    expect(await readdir(its.folder)).toHaveLength(saved);
    expect(stderr).toContain(`returned HTTP ${expected}`);
    expect(stderr).toMatch(/\n {2}async-music wait [0-9a-f-]{36} --out \S+\/\n$/);
  });

  const WEEK_MS = 7 * 24 * 3_600_000;
  test.each([
    [
      "that is younger than seven days can be repeated",
      WEEK_MS - 3_600_000,
      14,
      "Run the same command again",
      0,
    ],
    ["that is older has expired", WEEK_MS, 13, "To try again, use another --key.", 13],
  ])("%s after a 404", async (_, ageMs, expected, advice, repeated) => {
    const keyed = ["--journal", its.journal, "--key", "rain"];
    await its.song(...keyed, "--no-download");
    await its.emulator.clock.advance(ageMs);
    its.emulator.faults.add({ path: "/audio/*", fault: { kind: "status", status: 404, when: "before" } });
    const { status, stderr } = await its.song(...keyed, "--out", `${its.folder}/`);
    expect([status, stderr]).toEqual([expected, expect.stringContaining(advice)]);
    expect([(await its.song(...keyed, "--out", `${its.folder}/`)).status, its.freezes()]).toEqual([
      repeated,
      1,
    ]);
    expect(its.emulator.audit()).toEqual([]);
  });

  test("has a file name of whole characters, however long the title is", async () => {
    const { song } = terminalWith((clip) => Object.assign(clip, { title: `a${"𠀀".repeat(100)}` }));
    const { stdout } = await song("--out", `${its.folder}/`, "--json");
    const { path } = JSON.parse(stdout).files[0];
    expect(path).toMatch(/\/a𠀀{39}-[0-9a-f]{8}\.wav$/u);
    expect(await readdir(its.folder)).toEqual([path.slice(its.folder.length + 1)]);
  });

  test("is an MP3 with --format mp3", async () => {
    const { stdout } = await its.song("--format", "mp3", "--out", `${its.folder}/rain`);
    expect(stdout.split("\n")[0]).toBe(`${its.folder}/rain.mp3`);
  });

  test.each([401, 403, 410])(
    "is saved from the new address that another read has after a %i",
    async (status) => {
      let reads = 0;
      const { song } = createChangedTerminal(its.emulator, async (response, { method, url }) => {
        // The address of the first read has expired.
        if (url.endsWith("?expired")) return new Response("Expired", { status });
        if (method === "POST" || !url.includes("/api/v1/task/")) return response;
        const text = (await response.text()).replace(/"audio_url":"[^"]*/, "$&?expired");
        return new Response(
          text.includes('"success"') && ++reads > 1 ? text.replace("?expired", "") : text,
          response,
        );
      });
      const { status: exit, stdout } = await song("--out", `${its.folder}/rain`);
      expect([exit, stdout, reads]).toEqual([0, `${its.folder}/rain.wav\n`, 2]);
    },
  );

  test("is not requested again from the same address after a 403", async () => {
    let downloads = 0;
    const { song } = createChangedTerminal(its.emulator, (response, { url }) => {
      if (!url.includes("/audio/")) return response;
      downloads++;
      return new Response("Forbidden", { status: 403 });
    });
    const { status, stderr } = await song("--out", `${its.folder}/rain`);
    expect([status, downloads]).toEqual([14, 1]);
    expect(stderr).toContain("HTTP 403");
  });

  test("is numbered if --out is a file", async () => {
    its.emulator.providers.provider_a.next({ outcome: "success", clips: 2 });
    const { stdout } = await its.song("--out", `${its.folder}/my.song.mp3`);
    expect(stdout).toBe(["", "-2"].map((n) => `${its.folder}/my.song${n}.wav\n`).join(""));
  });

  test("keeps a part of the name after a dot that is no extension of audio", async () => {
    its.emulator.providers.provider_a.next({ outcome: "success", clips: 2 });
    const { stdout } = await its.song("--out", `${its.folder}/album.v2`);
    expect(stdout).toBe(["", "-2"].map((n) => `${its.folder}/album.v2${n}.wav\n`).join(""));
    await its.run("run", "lyrics", "--prompt", "rain", "--out", `${its.folder}/v1.5`);
    expect(await readdir(its.folder)).toContain("v1.5.txt");
  });

  test("is saved in an existing directory without a trailing slash", async () => {
    await mkdir(`${its.folder}/here`);
    await its.song("--out", `${its.folder}/here`);
    expect(await readdir(`${its.folder}/here`)).not.toEqual([]);
  });

  test("is a text file for lyrics", async () => {
    const { stdout } = await its.lyrics("--out", `${its.folder}/sea`);
    expect(stdout).toBe(`${its.folder}/sea.txt\n`);
    expect(await readFile(`${its.folder}/sea.txt`, "utf8")).toMatch(/\[Verse.*\]\n[\s\S]*\n$/);
  });

  test("replaces existing lyrics with --force, atomically", async () => {
    await writeFile(`${its.folder}/sea.txt`, "old words");
    await link(`${its.folder}/sea.txt`, `${its.folder}/old.txt`);
    await its.lyrics("--out", `${its.folder}/sea`, "--force");
    expect(await readFile(`${its.folder}/old.txt`, "utf8")).toBe("old words");
    expect(await readFile(`${its.folder}/sea.txt`, "utf8")).toMatch(/^\[Verse/);
    expect(await readdir(its.folder)).toEqual(["old.txt", "sea.txt"]);
  });

  test("is written to stdout with --no-download: URLs or the lyrics", async () => {
    expect((await its.song("--no-download")).stdout).toMatch(/^(https?:\/\/\S+\n)+$/);
    expect((await its.lyrics("--no-download")).stdout).toMatch(/^\[Verse/);
  });

  test("is one JSON document with --json", async () => {
    const { stdout } = await its.song("--json", "--out", `${its.folder}/rain`);
    const { task, files } = JSON.parse(stdout);
    expect(task).toMatchObject({ status: "success", credits_cost: 10, type: "music" });
    expect(files[0]).toEqual({
      path: `${its.folder}/rain.wav`,
      content_type: "audio/wav",
      clip_id: task.output.result[0].id,
    });
  });

  test.each([
    ["below a file", "file/songs/", "/file"],
    ["under a name of 250 letters", "a".repeat(250), "Nothing was sent"],
    ["under a name of 300 letters", "a".repeat(300), "Nothing was sent"],
  ])("can't be saved %s: refused before anything is charged", async (_, out, words) => {
    await writeFile(join(its.folder, "file"), "");
    const { status, stderr } = await its.song("--out", `${its.folder}/${out}`);
    expect([status, its.bodies]).toEqual([2, []]);
    expect(stderr).toContain(words);
  });

  test("without clips is an error, since nothing is saved", async () => {
    its.emulator.providers.provider_a.next({ clips: 0 });
    const { status, stdout, stderr } = await its.song("--out", `${its.folder}/rain`);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("it succeeded without clips");
    its.emulator.providers.provider_a.next({ clips: 0 });
    expect(await its.song("--no-download")).toMatchObject({ status: 0, stdout: "" });
  });

  test("is not lost if it can't be saved in the end", async () => {
    await mkdir(`${its.folder}/rain.wav`);
    const { status, stderr } = await its.song("--out", `${its.folder}/rain`, "--force");
    expect(status).toBe(14);
    expect(stderr).toMatch(/ {2}async-music wait [0-9a-f-]{36} --force --out \S+\/rain\n$/);
  });
});

describe("a mistake by which another song would be paid for is status 2:", () => {
  test.each([
    [
      "a flag in place of a value",
      "run -d --json",
      "--gpt-description-prompt has no value: --json follows it",
    ],
    ["a flag after an empty variable", "run -d rain --key --no-wait --journal j", "--key has no value"],
    ["a short flag in place of a value", "run --tags -d", "--tags has no value"],
    ["two values of a field", "run --prompt words --tags fado --tags=slow", "Pass --tags once."],
    ["two descriptions", "run -d rain -dsea", "Pass --gpt-description-prompt once."],
    ["a file that is not saved", "run -d rain --no-download --out song", "cannot be used with"],
  ])("%s", async (_, line, expected) => {
    const { status, stderr } = await its.run(...line.split(" "));
    expect([status, its.bodies]).toEqual([2, []]);
    expect(stderr).toContain(expected);
  });

  test("but a value may look like a flag, and a flag for the command itself may be replaced", async () => {
    const { status } = await its.run(
      ...["run", "--gpt-description-prompt=--json", "--out", "/nowhere"],
      ...["--out", `${its.folder}/`],
    );
    expect([status, its.bodies]).toMatchObject([0, [{ input: { gpt_description_prompt: "--json" } }]]);
  });
});

describe("--file", () => {
  const request = { model: "provider_a", task_type: "lyrics", input: { prompt: "naïve ☂", future: [1] } };
  const json = JSON.stringify(request);
  const seeded = (seed: string) =>
    `{"model":"provider_b","task_type":"music","input":{"prompt":"folk","seed":${seed}}}`;
  const largest = "`seed` must be at most 9007199254740991";

  test.each([
    ["is sent unchanged from stdin", json, 0, ""],
    ["may begin with a byte order mark", `\uFEFF${json}`, 0, ""],
    ["that is not JSON is status 3, and is not quoted", "secret words", 3, "invalid_json"],
    ["that the service would refuse is status 3", "[]", 3, "invalid_request_body"],
    ["of null is status 3", "null", 3, "invalid_request_body"],
    ["with a seed that would be rounded is status 3", seeded("9007199254740993"), 3, largest],
    ["with a negative seed that would be rounded is status 3", seeded("-9007199254740993"), 3, largest],
    ["with an infinite seed is status 3", seeded("1e999"), 3, largest],
  ])("%s", async (_, stdin, expected, named) => {
    const { run, bodies } = createTerminal(its.emulator, { stdin });
    const { status, stderr } = await run("run", "--file", "-", "--no-download");
    expect([status, bodies]).toEqual([expected, expected === 0 ? [request] : []]);
    expect(stderr).toContain(named);
    expect(stderr).not.toContain("secret");
    if (expected === 3) expect(stderr).toMatch(/^async-music: .*\n$/);
  });

  const withFields = (fields: object) => {
    const input = { prompt: "x", ...fields };
    const stdin = JSON.stringify({ model: "provider_a", task_type: "music", input });
    return createTerminal(its.emulator, { stdin }).run("run", "--file", "-", "--no-wait");
  };

  test.each([
    [{ tagz: "fado" }, "Unknown field `input.tagz`, which the service ignores. Did you mean `tags`?\n"],
    [{ continue_at: 1 }, "The service ignores `input.continue_at` without `continue_clip_id`.\n"],
  ])("with a field without effect, %j, is sent after the warning of the SDK", async (fields, warning) => {
    const { status, stderr } = await withFields(fields);
    expect([status, its.posts(), stderr.startsWith(`async-music: ${warning}`)]).toEqual([0, 1, true]);
  });

  test("that is refused has no warning beside its error", async () => {
    expectOneLine(await withFields({ prompt: 1, tagz: "fado" }), 3, "`input.prompt`");
  });

  test("is read from a path, in UTF-8 and no other encoding", async () => {
    const path = join(its.folder, "request.json");
    await writeFile(path, json);
    expect((await its.run("run", "--file", path, "--no-download")).status).toBe(0);
    await writeFile(path, Buffer.from(json.replace(" ☂", ""), "latin1"));
    const { status, stderr } = await its.run("run", "--file", path);
    expect([status, its.bodies]).toEqual([3, [request]]);
    expect(stderr).toContain("in UTF-8");
  });

  test("that does not exist or can't be read is status 2 and one sentence", async () => {
    const missing = join(its.folder, "none.json");
    expect(await its.run("run", "--file", missing)).toEqual({
      status: 2,
      stdout: "",
      stderr: `async-music: Failed to read the request from ${missing}: the file does not exist.\n`,
    });
    expectOneLine(await its.run("run", "--file", its.folder), 2, "Failed to read", "EISDIR");
  });
});

test("a response truncated after the task ID is status 9, and says how to continue", async () => {
  its.emulator.faults.add({ method: "POST", path: "/api/v1/task", fault: { kind: "malformed" } });
  const { status, stdout, stderr } = await its.song("--json");
  const { error } = JSON.parse(stdout);
  expect([status, error.name]).toEqual([9, "SubmissionOutcomeUnknownError"]);
  expect(stderr).toMatch(/\n {2}async-music wait [0-9a-f-]{36}\n$/);
  expect(stderr).toContain(error.taskId);
  expect((await its.run("wait", error.taskId, "--no-download")).status).toBe(0);
});

describe("on a terminal", () => {
  test("the progress line fits, however narrow the terminal is", async () => {
    for (const columns of [10, 20, 30, 60, 80, 200]) {
      const { lyrics } = createTerminal(its.emulator, { isTerminal: true, columns, env: { NO_COLOR: "1" } });
      const { stderr } = await lyrics("--no-download");
      const drawn = stderr.split("\r\u001B[2K").filter((line) => /^[⠋-⠿]/.test(line));
      expect(drawn.length).toBeGreaterThan(0);
      for (const line of drawn) expect(line.length).toBeLessThan(columns);
    }
  });

  test("without a terminal, each change of status is one line", async () => {
    const { stderr } = await its.song("--no-download");
    expect(stderr).toMatch(/^Task .*\n(\d+:\d\d \w+\n)+Done\. .*\n$/);
    expect(stderr).not.toContain("\u001B");
  });
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ TERM: "dumb" }, true, false],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
])("with %j and a terminal: %s, there is color: %s", async (env, isTerminal, isColored) => {
  const { run } = createTerminal(its.emulator, { env, isTerminal });
  expect((await run("--help")).stdout.includes("\u001B[1m")).toBe(isColored);
  expect((await run("run")).stderr.includes("\u001B[31m")).toBe(isColored);
});

test.each(TASK_TYPES)("the example in the error of `run %s` succeeds", async (type) => {
  const { stderr } = await its.run("run", type);
  const [, flag = "", text = ""] = /such as (--?\S+) "?([^":]+(?::\/\/[^":]+)?)"?\. /.exec(stderr) ?? [];
  await its.run("run", type, flag, text, "--no-download");
  expect(its.bodies).toMatchObject([{ task_type: type }]);
});

describe("errors name the flag or variable of an option", () => {
  const started = (env: Record<string, string>, ...flags: string[]) =>
    createTerminal(its.emulator, { env }).song(...flags);

  test.each([
    [
      { ASYNC_MUSIC_BASE_URL: "nowhere" },
      [],
      "ASYNC_MUSIC_BASE_URL or --base-url must be an http or https address",
    ],
    [
      {},
      ["--base-url", "https://api.example/api/v1"],
      "ASYNC_MUSIC_BASE_URL or --base-url must not end with /api/v1",
    ],
    [{ ASYNC_MUSIC_API_KEY: "two words" }, [], "ASYNC_MUSIC_API_KEY must be a string"],
    [{}, ["--journal", "", "--key", "k"], "--journal must be a string"],
    [{}, ["--journal", "j", "--key", ""], "--key must be a string"],
  ])("%j %j: %s", async (env, flags, said) => {
    const { status, stderr } = await started(env, ...flags);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^async-music: [^\n`]*\n$/);
    expect(stderr).toContain(said);
  });

  test("without a key, the emulator is suggested", async () => {
    const { status, stderr } = await started({ ASYNC_MUSIC_API_KEY: "" });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^async-music: Missing API key. Set ASYNC_MUSIC_API_KEY.*`async-music emulator`.*\n$/,
    );
  });
});

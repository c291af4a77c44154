import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { serviceOf, VALID } from "../../emulator/support/service.js";
import { openDashboard } from "./support/dashboard.js";

const SONG = VALID.song;

describe("tasks", () => {
  test("the form submits a song, whose end can be skipped to, and whose audio plays", async () => {
    const { page, emulator } = await openDashboard({ path: "/tasks/new" });
    await page.getByLabel("Description").fill("rain in Lisbon");
    await page.getByLabel("Audio format").selectOption("mp3");
    await page.getByRole("button", { name: "Submit for 10 credits" }).click();
    await page.getByRole("heading", { name: "rain in Lisbon pending" }).waitFor();
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("10 credits frozen").waitFor();
    await timeline.getByText("The provider ends: success").waitFor();
    await page.getByRole("button", { name: "Skip to the end" }).click();
    await page.getByRole("heading", { level: 1, name: /success/ }).waitFor();

    await timeline.getByText("10 credits settled").waitFor();
    await timeline.getByText("Read 200").first().waitFor();
    await page.locator("svg.waveform").first().waitFor();
    await page.getByText("audio/mpeg").first().waitFor();
    await page.getByText("of 7 days left").waitFor();
    const cover = page.getByRole("img", { name: /^Cover of/ }).first();
    expect(await cover.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    const seconds = await page
      .locator("audio")
      .first()
      .evaluate(async (audio: HTMLAudioElement) => {
        audio.muted = true;
        await audio.play();
        return audio.duration;
      });
    expect(seconds).toBeGreaterThan(10);
    await expect
      .poll(() => page.getByRole("figure", { name: "Response" }).textContent())
      .toContain('"audio_url"');
    await expect
      .poll(() => page.getByRole("figure", { name: "Request" }).textContent())
      .toContain('"audio_format": "mp3"');
    // The page's own downloads are not requests of a client.
    expect(emulator.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(emulator.audit()).toEqual([]);
  });

  test("tasks of other programs appear when they are created, and change when they are read", async () => {
    const { page, api, emulator, submit } = await openDashboard({ path: "/tasks" });
    await page.getByText("No tasks yet.").waitFor();
    const taskId = await submit(SONG);
    const row = page.getByRole("row", { name: /rain in Lisbon/ });
    await row.getByText("pending").waitFor();
    await emulator.clock.advance(600_000);
    await api("GET", `/task/${taskId}`);
    await page.getByRole("row", { name: /success/ }).waitFor();
    await page.getByLabel("Status").selectOption("failure");
    await page.getByText("No task matches these filters.").waitFor();
  });

  test("the list is filtered by words and by status", async () => {
    const { page, api, emulator, submit } = await openDashboard({ path: "/tasks" });
    emulator.providers.provider_a.next({ outcome: "failure", polls: 1 });
    await api("GET", `/task/${await submit({ ...SONG, input: { tags: "sea shanty" } })}`);
    await submit(SONG);
    await page.getByText("2 tasks", { exact: true }).waitFor();
    await page.getByLabel("Search").fill("SHANTY");
    await page.getByText("1 task", { exact: true }).waitFor();
    await page.getByRole("row", { name: /sea shanty/ }).waitFor();
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Status").selectOption("pending");
    await page.getByText("1 task", { exact: true }).waitFor();
    await page.getByRole("row", { name: /rain in Lisbon/ }).waitFor();
  });

  test.each([
    [
      "gpt_description_prompt",
      { ...SONG, input: { gpt_description_prompt: "by a quiet harbor" } },
      "by a quiet",
    ],
    ["prompt", VALID.lyrics, "a song of"],
    ["negative_tags", { ...SONG, input: { tags: "fado", negative_tags: "drums" } }, "drums"],
    ["url", { ...SONG, task_type: "upload", input: { url: "https://files.example.com/hum.wav" } }, "hum.wav"],
  ])("a task is found by the words of its %s, also after its end", async (_, body, words) => {
    const { page, api, emulator, submit } = await openDashboard({
      path: `/tasks?q=${encodeURIComponent(words)}`,
    });
    await submit({ ...SONG, input: { tags: "other" } });
    const taskId = await submit(body);
    await page.getByText("1 task", { exact: true }).waitFor();
    await emulator.clock.advance(600_000);
    await api("GET", `/task/${taskId}`);
    await expect.poll(() => page.getByRole("row", { name: /success/ }).count()).toBe(1);
    await page.getByText("1 task", { exact: true }).waitFor();
  });

  test("the curl command on the page creates the same task, whatever is typed", async () => {
    const { page, emulator } = await openDashboard({ path: "/tasks/new" });
    const words = `it's "quoted" $HOME \`id\` <b>bold</b> \\ é`;
    await page.getByLabel("Description").fill(words);
    await page.getByLabel("Outcome").selectOption("moderated");
    const command =
      (await page.getByRole("figure", { name: "curl command" }).locator("code").textContent()) ?? "";
    const { stdout } = await promisify(execFile)("bash", ["-c", `${command} --silent`], {
      env: { ...process.env, ASYNC_MUSIC_API_KEY: emulator.apiKey },
    });
    expect(JSON.parse(stdout)).toMatchObject({ code: 202 });
    const [task] = emulator.state().tasks;
    expect(task).toMatchObject({ input: { gpt_description_prompt: words } });

    const code = (await page.getByRole("figure", { name: "SDK code" }).locator("code").textContent()) ?? "";
    expect(code).toContain(`gpt_description_prompt: ${JSON.stringify(words)}`);
    expect(code).toContain("X-Emulator-Outcome");
  });

  test("the SDK code on the page runs, and creates the same task", async () => {
    const { page, emulator, server } = await openDashboard({ path: "/tasks/new" });
    await page.getByLabel("Result").selectOption("custom");
    await page.getByLabel("Lyrics", { exact: true }).fill('[Verse]\nit\'s "rain" \\o/');
    await page.getByLabel("Instrumental").check();
    await page.getByLabel("Outcome").selectOption("moderated");
    const shown = (await page.getByRole("figure", { name: "SDK code" }).locator("code").textContent()) ?? "";
    // Only created: a separate process would wait in real time.
    const code = shown.replace("tasks.run", "tasks.create").replace("task.output.result", "task.task_id");
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
      cwd: inject("installed"),
      env: { ...process.env, ASYNC_MUSIC_BASE_URL: server.url, ASYNC_MUSIC_API_KEY: emulator.apiKey },
    });
    const [task] = emulator.state().tasks;
    expect(task).toMatchObject({
      task_id: stdout.trim(),
      input: { prompt: '[Verse]\nit\'s "rain" \\o/', make_instrumental: true },
    });
    expect(emulator.snapshot().state).toMatchObject({ tasks: [{ plan: { end: { outcome: "failure" } } }] });
  });

  test("a failed task shows its reasons", async () => {
    const { page } = await openDashboard({ path: "/tasks/new" });
    await page.getByLabel("Outcome").selectOption("moderated");
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByRole("button", { name: "Skip to the end" }).click();
    await page.getByText("content_moderation").first().waitFor();
    await page.getByText("not retryable").first().waitFor();
  });

  test("a reload resets the outcome of the form, and keeps its fields", async () => {
    const { page } = await openDashboard({ path: "/tasks/new" });
    await page.getByLabel("Description").fill("");
    await page.getByLabel("Outcome").selectOption("moderated");
    const code = page.getByRole("figure", { name: "SDK code" });
    await code.getByText("X-Emulator-Outcome").waitFor();
    // A required field is sent even if it is empty.
    await expect.poll(() => code.textContent()).toContain('gpt_description_prompt: ""');
    await page.reload();
    await code.waitFor();
    await expect.poll(() => page.getByLabel("Outcome").inputValue()).toBe("");
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("");
    expect(await code.textContent()).not.toContain("X-Emulator-Outcome");
  });

  test.each([
    { kind: "disconnect", when: "after" },
    { kind: "status", status: 500, when: "after" },
    { kind: "malformed" },
  ] as const)("after a lost response, an alert says that a task may exist: %j", async (fault) => {
    const { page, emulator } = await openDashboard({ path: "/tasks/new" });
    emulator.faults.add({ method: "POST", fault });
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByRole("alert").getByText("A task may have been created: see Tasks.").waitFor();
  });

  test("the timeline shows a task's end after the read that found it, and before its refund", async () => {
    const { page, api, emulator, submit } = await openDashboard();
    emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation", polls: 1 });
    const taskId = await submit(SONG);
    await api("GET", `/task/${taskId}`);
    await page.goto(`${new URL("/", page.url())}#/tasks/${taskId}`);
    const events = page.getByRole("region", { name: "Timeline" }).locator("li strong");
    await events.last().waitFor();
    await expect
      .poll(() => events.allTextContents())
      .toEqual(["Accepted", "10 credits frozen", "Read", "Ended: failure", "10 credits refunded"]);
    const texts = await page.getByRole("region", { name: "Timeline" }).locator("li").allTextContents();
    expect(texts[2]).toMatch(/^Read 200 · [^ ]+ · discovered the end/);
    expect(texts[4]).toMatch(/^10 credits refunded because of content_moderation/);
  });

  test("a task has the title of its song as heading, before that its prompt, and its model below", async () => {
    const { page, emulator, submit, goTo } = await openDashboard();
    await goTo(`/tasks/${await submit(SONG)}`);
    await page.getByRole("heading", { level: 1, name: "rain in Lisbon pending" }).waitFor();
    await page.getByRole("button", { name: "Skip to the end" }).click();
    const heading = page.getByRole("heading", { level: 1, name: /success/ });
    await heading.waitFor();
    const [task] = emulator.state().tasks;
    await expect.poll(() => heading.textContent()).toBe(`${Object(task).output.result[0].title} success`);
    await expect.poll(() => page.locator("main .facts").first().textContent()).toMatch(/^provider_a music/);
  });

  test("a refunded task shows 0 credits, and its price struck through", async () => {
    const { page, emulator, submit, goTo, api } = await openDashboard();
    emulator.providers.provider_a.next({ outcome: "failure", polls: 1 });
    const taskId = await submit(SONG);
    await api("GET", `/task/${taskId}`);
    const other = await submit(SONG);
    await goTo(`/tasks/${taskId}`);
    const facts = page.locator("main .facts").first();
    await facts.getByText("0 credits", { exact: false }).waitFor();
    await expect.poll(() => facts.textContent()).toMatch(/10 0 credits$/);
    await expect.poll(() => facts.locator("del").allTextContents()).toEqual(["10"]);
    await goTo(`/tasks/${other}`);
    await facts.getByText("10 credits", { exact: true }).waitFor();
    await goTo("/tasks");
    const row = page.getByRole("row", { name: /failure/ });
    await row.locator("del").getByText("10").waitFor();
    await expect.poll(() => row.getByRole("cell").last().textContent()).toBe("10 0");
  });

  test("a failure that a rule requested says so, with links to the rules and to the request", async () => {
    const { page, emulator, submit, goTo, api } = await openDashboard();
    emulator.providers.provider_a.next({ outcome: "failure", polls: 1 });
    const taskId = await submit(SONG);
    await api("GET", `/task/${taskId}`);
    await goTo(`/tasks/${taskId}`);
    const problem = page.locator(".problem");
    await problem.getByText("A rule requested this end").waitFor();
    await problem.getByRole("link", { name: "A rule" }).click();
    await page.getByRole("heading", { name: "Scenarios", exact: true }).waitFor();
    await page.goBack();
    await problem.getByRole("link", { name: "the request that created the task" }).click();
    await page.getByRole("heading", { name: "POST /api/v1/task 202" }).waitFor();
  });

  test.each([
    ["failure", "Skip to the end"],
    ["hang", "Skip past the timeout"],
  ])("an end in %s that the request itself requested says so, with a link to it", async (outcome, skip) => {
    const { page, emulator, goTo } = await openDashboard();
    await goTo(`/tasks/${await serviceOf(emulator).create(SONG, { outcome })}`);
    await page.getByRole("button", { name: skip }).click();
    await page.getByText("The header X-Emulator-Outcome requested this end").waitFor();
    await page.getByRole("link", { name: "the request that created the task" }).click();
    await page.getByRole("heading", { name: "POST /api/v1/task 202" }).waitFor();
  });

  test("a failure that nothing requested says nothing about a rule or a header", async () => {
    const { page, submit, goTo, api, emulator } = await openDashboard();
    emulator.providers.provider_a.next({ process_seconds: 12 });
    const taskId = await submit(SONG);
    await emulator.clock.advance(3_700_000);
    await api("GET", `/task/${taskId}`);
    await goTo(`/tasks/${taskId}`);
    await page.locator(".problem").getByText("The task was not finished within an hour").waitFor();
    await expect.poll(() => page.getByText("requested this end").count()).toBe(0);
  });

  test("'Accepted' and each read lead to their requests", async () => {
    const { page, submit, goTo, api, emulator } = await openDashboard();
    const taskId = await submit(SONG);
    await emulator.clock.advance(600_000);
    await api("GET", `/task/${taskId}`);
    for (const [name, heading] of [
      ["Accepted", "POST /api/v1/task 202"],
      ["Read", `GET /api/v1/task/${taskId} 200`],
    ] as const) {
      await goTo(`/tasks/${taskId}`);
      const timeline = page.getByRole("region", { name: "Timeline" });
      await timeline.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { name: heading }).waitFor();
    }
  });

  test("every duration is the difference of the times that the page shows", async () => {
    const { page, submit, goTo, api, emulator } = await openDashboard();
    await emulator.clock.advance(700);
    emulator.providers.provider_a.next({ queue_seconds: 1.6, process_seconds: 20.4 });
    const taskId = await submit(SONG);
    await emulator.clock.advance(26_600);
    await api("GET", `/task/${taskId}`);
    await goTo(`/tasks/${taskId}`);
    const events = page.getByRole("region", { name: "Timeline" }).locator("li");
    const shown = () =>
      events.evaluateAll((all) =>
        all.map((each) => [each.querySelector("time")?.textContent?.slice(-8), each.textContent].join(" ")),
      );
    await expect
      .poll(async () => (await shown()).join("\n"))
      .toMatch(/00:00:02 The provider starts \S+ \S+ · after 2 seconds20 seconds running/);
    const texts = (await shown()).join("\n");
    expect(texts).toMatch(/00:00:22 Ended: success.* · after 22 seconds5 seconds ended/);
    expect(texts).toMatch(/00:00:27 10 credits settled.* · after 27 seconds/);
  });

  test("the audio expires until it has, and then expired", async () => {
    const { page, submit, goTo, api, emulator } = await openDashboard();
    emulator.providers.provider_a.next({ polls: 1 });
    const taskId = await submit(SONG);
    await api("GET", `/task/${taskId}`);
    await goTo(`/tasks/${taskId}`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await emulator.clock.advance(7 * 86_400_000 - 1);
    await page.locator("audio").first().waitFor();
    await page.getByText("0 seconds of 7 days left").or(page.getByText("1 second of 7 days left")).waitFor();
    await timeline.getByText("The audio expires").waitFor();
    await emulator.clock.advance(1);
    await timeline.getByText("The audio expired").waitFor();
    await expect.poll(() => timeline.getByText("The audio expires").count()).toBe(0);
    await page.getByText("Expired after 7 days").waitFor();
    await expect.poll(() => page.locator("audio").count()).toBe(0);
  });

  test("a task that ends at a read times out unless it is read that often", async () => {
    const { page, submit, goTo, emulator } = await openDashboard();
    emulator.providers.provider_a.next({ polls: 2 });
    await goTo(`/tasks/${await submit(SONG)}`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("Timeout (unless read 2 times before)").waitFor();
  });

  test("a clip is downloaded with one link, under its title and with its real type", async () => {
    const { page, submit, goTo, api, emulator } = await openDashboard();
    emulator.providers.provider_a.next({ polls: 1 });
    const { data } = await (
      await api("GET", `/task/${await submit({ ...SONG, audio_format: "mp3" })}`)
    ).json();
    const [clip] = data.output.result;
    await goTo(`/tasks/${data.task_id}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).first().click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${clip.title}.mp3`);
    await expect.poll(() => page.getByRole("link", { name: "Download" }).count()).toBe(2);
  });

  test.each([10.1, 10.4, 10.9])(
    "one click skips to the end of a task that takes %d s",
    async (process_seconds) => {
      const { page } = await openDashboard({
        path: "/tasks/new",
        prepare: ({ providers }) => providers.provider_a.always({ process_seconds }),
      });
      await page.getByRole("button", { name: /^Submit/ }).click();
      await page.getByRole("button", { name: "Skip to the end" }).click();
      await page.getByRole("heading", { level: 1, name: /success/ }).waitFor();
    },
  );

  test("lyrics are shown as text", async () => {
    const { page } = await openDashboard({ path: "/tasks/new" });
    await page.getByLabel("Task", { exact: true }).selectOption("lyrics");
    await page.getByLabel("Subject").fill("a lighthouse");
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByRole("button", { name: "Skip to the end" }).click();
    await page.locator("pre.lyrics").getByText("[Verse").first().waitFor();
  });
});

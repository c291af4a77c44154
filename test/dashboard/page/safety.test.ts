import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { openDashboard, openPage } from "./support/dashboard.js";

const MARKUP = `<img src=x onerror="globalThis.struck=1"><script>globalThis.struck=1</script>{{1+1}}`;

describe("the page", () => {
  test("never shows text from requests as markup", async () => {
    const { page, emulator, api, server, goTo, submit } = await openDashboard();
    emulator.providers.provider_a.next({ polls: 1 });
    emulator.providers.provider_a.next({ outcome: "failure", polls: 1, error: MARKUP });
    const ids: string[] = [];
    for (const input of [
      { tags: MARKUP, title: MARKUP, prompt: MARKUP, [MARKUP]: MARKUP },
      { tags: MARKUP },
    ]) {
      ids.push(await submit({ model: "provider_a", task_type: "music", input }));
      await api("GET", `/task/${ids.at(-1)}`);
    }
    await fetch(`${server.url}/${encodeURI(MARKUP)}`);
    await fetch(`${server.url}/api/v1/task/${encodeURIComponent(MARKUP)}`);
    emulator.faults.add({
      path: `/${MARKUP}`,
      fault: { kind: "status", status: 500, error_code: MARKUP, when: "before" },
    });
    emulator.providers.provider_b.next({ outcome: "failure", error: MARKUP });
    for (const view of [
      "/",
      "/tasks",
      "/requests",
      "/scenarios",
      "/account",
      "/account/keys",
      ...ids.map((id) => `/tasks/${id}`),
    ]) {
      await goTo(view);
      await page.waitForTimeout(300);
      await expect.poll(() => page.locator("main script, main img[src=x]").count()).toBe(0);
    }
    await goTo(`/tasks/${ids[0]}`);
    await page.getByRole("heading", { name: MARKUP }).first().waitFor();
    await goTo(`/tasks?q=${encodeURIComponent(MARKUP)}`);
    await page.getByRole("link", { name: MARKUP }).first().waitFor();
    expect(await page.evaluate(() => "struck" in globalThis)).toBe(false);
  });

  test("never shows text from requests in a way that turns the words beside it around", async () => {
    const { page, emulator, api, goTo, submit } = await openDashboard();
    const TURNED = "a \u2069\u2069\u2069\u202Eb";
    emulator.providers.provider_a.next({ outcome: "failure", polls: 1, error: TURNED });
    const input = { gpt_description_prompt: TURNED };
    const taskId = await submit({ model: "provider_a", task_type: "music", input });
    await api("GET", `/task/${taskId}`);
    const [key] = emulator.accounts.get(emulator.accountId).keys;
    emulator.accounts.updateKey(emulator.accountId, key?.key_id ?? "", { name: TURNED });
    const fault = { kind: "status", status: 418, error_code: TURNED, when: "before" } as const;
    emulator.faults.add({ path: `/x${TURNED}`, fault });
    const end = emulator.apiKey.slice(-4);
    for (const [view, part, words] of [
      ["/", ".problems", "upstream_provider_error"],
      ["/tasks", ".rows", "upstream_provider_error"],
      [`/tasks/${taskId}`, "p.problem", "retryable"],
      ["/requests", ".rows .body", end],
      ["/scenarios", "td", "respond with"],
      ["/scenarios", "td strong", "before"],
    ] as const) {
      await goTo(view);
      const found = page.locator(part).filter({ hasText: words }).first();
      await found.waitFor();
      const isInOrder = await found.evaluate((element, text) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const at = node.textContent?.lastIndexOf(text) ?? -1;
          if (at === -1) continue;
          const leftOf = (index: number) => {
            const range = document.createRange();
            range.setStart(node as Text, index);
            range.setEnd(node as Text, index + 1);
            return range.getBoundingClientRect().left;
          };
          return leftOf(at) < leftOf(at + text.length - 1);
        }
        return false;
      }, words);
      expect([view, words, isInOrder]).toEqual([view, words, true]);
    }
  });

  test("has a content security policy that allows only its own files", async () => {
    const { page: watched, server } = await openDashboard();
    const { headers } = await fetch(`${server.url}/`);
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
      ]),
    );
    expect(policy).not.toContain("unsafe");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(await (await fetch(`${server.url}/`)).text()).not.toMatch(
      /<style|style=|<script>|onload=|https?:/,
    );

    // In a separate page: a blocked request fails the others.
    const page = await watched.context().newPage();
    await page.goto(server.url);
    const blocked = await page.evaluate(
      () =>
        new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
            resolve(effectiveDirective),
          );
          new Image().src = "https://example.invalid/x.png";
        }),
    );
    expect(blocked).toBe("img-src");
  });

  test("has files with their content types, which are not logged and not subject to faults", async () => {
    const { page, server, emulator } = await openDashboard();
    emulator.faults.add({ times: 99, fault: { kind: "status", status: 500, when: "before" } });
    await page.reload();
    await page.getByText("credits available").waitFor();
    const types = await Promise.all(
      ["/", "/dashboard/main.js", "/dashboard/style.css", "/dashboard/icon.svg"].map(async (path) => {
        const { status, headers } = await fetch(`${server.url}${path}`);
        return [status, headers.get("Content-Type"), headers.get("X-Content-Type-Options")];
      }),
    );
    expect(types).toEqual([
      [200, "text/html; charset=utf-8", "nosniff"],
      [200, "text/javascript; charset=utf-8", "nosniff"],
      [200, "text/css; charset=utf-8", "nosniff"],
      [200, "image/svg+xml", "nosniff"],
    ]);
    expect(emulator.requests).toEqual([]);
    emulator.faults.clear();
    for (const path of [
      "/dashboard/",
      "/dashboard/../emulator.js",
      "/dashboard/%2e%2e/cli.js",
      "/dashboard/THIRD-PARTY-LICENSES",
    ])
      expect((await fetch(`${server.url}${path}`)).status).toBe(404);
    expect((await fetch(`${server.url}/`, { method: "POST" })).status).toBe(405);
  });

  test("is served by the installed command at the address that it writes", async () => {
    const folder = join(inject("installed"), "node_modules/async-music");
    const child = spawn(process.execPath, [join(folder, "dist/cli.js"), "emulator", "--port", "0", "--json"]);
    onTestFinished(() => void child.kill());
    const [line] = await once(child.stdout, "data");
    const { dashboard_url: url } = JSON.parse(String(line));
    const page = await openPage(url.replace(/\/$/, ""));
    await page.goto(url);
    await page.getByText("1,000 credits available").waitFor();
    await expect.poll(() => page.getByRole("group", { name: "Clock" }).textContent()).toContain("real clock");
  });
});

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, inject, onTestFinished } from "vitest";
import type { Emulator, EmulatorOptions } from "../../../../emulator/index.js";
import type { EmulatorServer } from "../../../../emulator/node.js";
import {
  type Browser,
  type BrowserContextOptions,
  type Locator,
  launchBrowser,
  type Page,
} from "../../../../tools/browser/browser.js";

const TIMEOUT_MS = 60_000;

export const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } };
export const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "a lighthouse" } };

/** Opens the form of a part of the page. */
export const edit = (part: Locator) => part.getByRole("button", { name: "Edit", exact: true }).click();

let browser: Promise<Browser> | undefined;

afterAll(async () => (await browser)?.close());

/** An emulator of the installed package on a port, with its dashboard open. */
export interface Dashboard {
  emulator: Emulator;
  server: EmulatorServer;
  page: Page;
  api(method: "GET" | "POST", path: string, body?: unknown): Promise<Response>;
  /** Creates a task. Resolves with its ID. */
  submit(body: unknown): Promise<string>;
  goTo(path: string): Promise<void>;
  /** Serves the emulator, or another one, at the same address after its server was closed. */
  serveAgain(other?: EmulatorOptions): Promise<EmulatorServer>;
}

export interface DashboardOptions {
  emulator?: EmulatorOptions;
  /** The part after the `#` of the URL. */
  path?: string;
  context?: BrowserContextOptions;
  prepare?(emulator: Emulator): Promise<void> | void;
}

export async function openDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  const { createEmulator, serve } = await installedPackage();
  const emulator = createEmulator({ clock: "virtual", seed: 1, credits: 100, ...options.emulator });
  await options.prepare?.(emulator);
  const server = await serve(emulator);
  onTestFinished(async () => {
    await server.close();
    await emulator[Symbol.asyncDispose]();
  });
  const page = await openPage(server.url, options.context);
  const goTo = async (path: string) => {
    await page.goto(`${server.url}/#${path}`);
    await page.locator("main[data-ready=true]").waitFor();
  };
  await goTo(options.path ?? "/");
  const api: Dashboard["api"] = (method, path, body) =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { "x-api-key": emulator.apiKey, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const serveAgain = async (other?: EmulatorOptions) => {
    const next = other === undefined ? emulator : createEmulator(other);
    const again = await serve(next, { port: Number(new URL(server.url).port) });
    onTestFinished(() => again.close());
    return again;
  };
  const submit = async (body: unknown) => (await (await api("POST", "/task", body)).json()).data.task_id;
  return { emulator, server, page, api, submit, goTo, serveAgain };
}

/** A page in a browser context of its own. */
export async function openBlankPage(options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= launchBrowser();
  const context = await (await browser).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  return page;
}

/** A page whose errors and foreign requests fail its test. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openBlankPage({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // The page itself shows network errors.
    const isNetwork = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isNetwork) problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const isOwn = [`${url}/`, `blob:${url}/`, "data:"].some((own) => request.url().startsWith(own));
    if (!isOwn) problems.push(`requested ${request.url()}`);
  });
  onTestFinished(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });
  return page;
}

async function installedPackage(): Promise<{
  createEmulator(options: EmulatorOptions): Emulator;
  serve(emulator: Emulator, options?: { port?: number }): Promise<EmulatorServer>;
}> {
  const load = (name: string) =>
    import(pathToFileURL(join(inject("installed"), "node_modules/async-music/dist", name)).href);
  return { ...(await load("emulator.js")), ...(await load("emulator-node.js")) };
}

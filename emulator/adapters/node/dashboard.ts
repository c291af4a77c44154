import { readdir, readFile } from "node:fs/promises";
import { bytesAnswer, withoutBody } from "../../http/answers.js";
import type { Answer } from "../../http/exchange.js";

/** Beside the built scripts; the sources have none, and serve no dashboard. */
const FOLDER = new URL("./dashboard/", import.meta.url);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * The page asks its own origin for everything, runs and shows only what it came with, and is in no other page's frame.
 * (Pico's marks of form fields are pictures inside of its stylesheet; audio is played from what the page has loaded.)
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** What the dashboard answers to a request, or `null` where the request is none of its. */
export type Dashboard = (method: string, path: string) => Promise<Answer | null>;

/** Whether the dashboard may have something at this path. */
export function isDashboardPath(path: string): boolean {
  return path === "/" || path.startsWith("/dashboard/");
}

/** The dashboard's files, read when one is first asked for. They leave no trace in the log, and meet no fault. */
export function createDashboard(): Dashboard {
  let files: Promise<ReadonlyMap<string, Answer>> | undefined;
  return async (method, path) => {
    if (method !== "GET" && method !== "HEAD") return null;
    files ??= readFiles();
    const answer = (await files).get(path);
    if (answer === undefined) return null;
    const headers = { ...answer.headers, "X-Request-Id": crypto.randomUUID() };
    return method === "HEAD" ? withoutBody({ ...answer, headers }) : { ...answer, headers };
  };
}

async function readFiles(): Promise<ReadonlyMap<string, Answer>> {
  const names = await readdir(FOLDER).catch(() => []);
  const answers = names.flatMap((name) => {
    const contentType = CONTENT_TYPES[name.split(".").at(-1) ?? ""];
    return contentType === undefined ? [] : [readAnswer(name, contentType)];
  });
  return new Map(await Promise.all(answers));
}

async function readAnswer(name: string, contentType: string): Promise<[string, Answer]> {
  const answer = bytesAnswer(200, contentType, new Uint8Array(await readFile(new URL(name, FOLDER))));
  Object.assign(answer.headers, {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Emulator": "async-music",
  });
  return [name === "index.html" ? "/" : `/dashboard/${name}`, answer];
}

import { readdir, readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { completeResponse, createResponse, type HttpResponse } from "../http/messages.js";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * The page loads everything from its own origin, and no other page can frame it. Pico's form icons are `data:` images in
 * its style sheet; audio is played from blobs.
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

const PAGE_HEADERS = {
  "Cache-Control": "no-cache",
  Vary: "Accept-Encoding",
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * The dashboard's files, read at the first request; `null` for a path that has none. Requests for them are not logged, and faults
 * do not apply.
 */
export function createDashboard() {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  return async (method: string, path: string, acceptsGzip: boolean): Promise<HttpResponse | null> => {
    if (method !== "GET" && method !== "HEAD") return null;
    files ??= readFiles();
    const file = (await files).get(path)?.[acceptsGzip ? "compressed" : "plain"];
    if (file === undefined) return null;
    return completeResponse({ ...file, headers: { ...file.headers } }, crypto.randomUUID(), method);
  };
}

interface PageFile {
  readonly plain: HttpResponse;
  readonly compressed: HttpResponse;
}

/**
 * Reads what is beside the built scripts. When the sources run, there is no such folder, and no dashboard. A bundle in the format of
 * CommonJS has no `import.meta.url`, and no dashboard either.
 */
async function readFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const scripts: string | undefined = import.meta.url;
  if (scripts === undefined) return files;
  const folder = new URL("./dashboard/", scripts);
  for (const name of await readdir(folder).catch(() => [])) {
    const contentType = CONTENT_TYPES[name.split(".").at(-1) ?? ""];
    if (contentType === undefined) continue;
    const bytes = new Uint8Array(await readFile(new URL(name, folder)));
    const plain = createResponse(200, contentType, bytes);
    const compressed = createResponse(200, contentType, new Uint8Array(gzipSync(bytes)));
    Object.assign(plain.headers, PAGE_HEADERS);
    Object.assign(compressed.headers, PAGE_HEADERS, { "Content-Encoding": "gzip" });
    files.set(name === "index.html" ? "/" : `/dashboard/${name}`, { plain, compressed });
  }
  return files;
}

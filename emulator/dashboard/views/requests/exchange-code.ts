import { LARGEST_BODY_BYTES, UNREAD_BODY } from "../../../core/ranges.js";
import type { ExchangeDetails } from "../../api.js";

/** Headers that curl sets itself, and the ID, which a second request may not share. */
const OMITTED_HEADERS = [
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
  "x-request-id",
];

export type Sent = Pick<ExchangeDetails, "method" | "url" | "request_headers" | "request_body">;

/** The request as a command for a shell, which takes the key from the environment. */
export function curlOf({ method, url, request_headers: headers, request_body: body }: Sent): string {
  const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase());
  const lines = [`curl ${optionsFor(method, url ?? "")}${shellQuoted(url ?? "")}`];
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (name.toLowerCase() === "x-api-key") lines.push(`-H "${name}: $ASYNC_MUSIC_API_KEY"`);
    else if (!OMITTED_HEADERS.includes(name.toLowerCase()))
      lines.push(`-H ${shellQuoted(`${name}: ${value}`)}`);
  }
  // Otherwise, curl would send the content type of a form.
  if (body !== null && !names.includes("content-type")) lines.push('-H "Content-Type:"');
  if (body === UNREAD_BODY) {
    lines[0] = `head -c ${LARGEST_BODY_BYTES + 1} /dev/zero | ${lines[0]}`;
    lines.push("--data-binary @-");
  }
  // `--data-binary` would read the file of a body that begins with `@`.
  else if (body !== null) lines.push(`--data-raw ${shellQuoted(body)}`);
  return lines.join(" \\\n  ");
}

function optionsFor(method: string, url: string): string {
  const name = /^[A-Z]+$/.test(method) ? method : shellQuoted(method);
  // With `-X HEAD`, curl waits for a body.
  const request = method === "GET" ? "" : method === "HEAD" ? "--head " : `-X ${name} `;
  return `${request}${/[[\]{}]/.test(url) ? "--globoff " : ""}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

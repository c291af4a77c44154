import { createHmac } from "node:crypto";
import { isError, messageOfThrown } from "../../src/contract/thrown.js";
import type { Redactor } from "../../src/errors/redactor.js";
import type { OrderEnd } from "../../src/follow/follower.js";
import { type RelayDelivery, TaskFailedError } from "../../src/index.js";
import { UsageError } from "../terminal.js";

/** What a relay posts to. */
export interface Webhook {
  readonly url: URL;
  /** The keys that sign each post. While a secret is replaced, there are two. */
  readonly secrets: readonly Buffer[];
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
}

/** Bytes of a secret, as Standard Webhooks demands them. */
const SECRET_BYTES = { least: 24, most: 64 };

/** Checks the URL of the webhook. The message does not repeat it: its path or query may be a secret. */
export function webhookUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError("--webhook must be a URL that begins with https:// or http://.");
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      "--webhook must not contain a user name or a password. Check the signature instead.",
    );
  return url;
}

/** Reads the secrets of the variable ASYNC_MUSIC_WEBHOOK_SECRET: one, or several that are separated by spaces. */
export function webhookSecrets(text = ""): Buffer[] {
  const example = `whsec_$(openssl rand -base64 32)`;
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0)
    throw new UsageError(
      `Missing webhook secret. Set ASYNC_MUSIC_WEBHOOK_SECRET to the secret with which your server checks the signatures, for example ${example}.`,
    );
  return words.map((word) => {
    const [, base64] = /^whsec_([A-Za-z\d+/]+={0,2})$/.exec(word) ?? [];
    const secret = Buffer.from(base64 ?? "", "base64");
    if (secret.length >= SECRET_BYTES.least && secret.length <= SECRET_BYTES.most) return secret;
    throw new UsageError(
      `ASYNC_MUSIC_WEBHOOK_SECRET must be whsec_ and then ${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes in Base64, for example ${example}.`,
    );
  });
}

/**
 * The body of a post: the same at each try. The receiver must not get the API key, even if the service echoes it.
 *
 * @param stored - what the function of `--store` returned
 */
export function bodyOf({ key, entry, end }: OrderEnd, redactor: Redactor, stored: unknown): string {
  const order = { key, task_id: entry.task_id };
  if ("task" in end) {
    const task = redactor.data(end.task);
    const data = { ...order, task, error: null, stored };
    return textOf({ type: "order.succeeded", timestamp: task.completed_at ?? entry.at, data });
  }
  const { error: thrown } = end;
  const task = thrown instanceof TaskFailedError ? redactor.data(thrown.task) : null;
  const { name, message } = isError(thrown) ? thrown : { name: "Error", message: String(thrown) };
  const timestamp = task?.completed_at ?? entry.at;
  return textOf({ type: "order.failed", timestamp, data: { ...order, task, error: { name, message } } });
}

const textOf = (delivery: RelayDelivery) => JSON.stringify(delivery);

/** Posts a body once. Resolves with why it was not accepted, or with `null`. Never rejects. */
export async function post(
  { url, secrets, timeoutMs, fetch }: Webhook,
  id: string,
  body: string,
  now: number,
): Promise<string | null> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`);
    return `v1,${mac.digest("base64")}`;
  });
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // A redirect could lead to another host.
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.body?.cancel();
    if (response.ok) return null;
    const isRedirect = response.status >= 300 && response.status < 400;
    return `HTTP ${response.status}${isRedirect ? "; redirects are not followed" : ""}`;
  } catch (error) {
    if (signal.aborted) return `no response within ${timeoutMs / 1000} s`;
    const { cause = error }: { cause?: unknown } = Object(error);
    return reasonOf(cause);
  }
}

/** The code of a connection error, whose message may be empty; otherwise the message. */
function reasonOf(cause: unknown): string {
  const { code } = Object(cause);
  return typeof code === "string" ? code : messageOfThrown(cause);
}

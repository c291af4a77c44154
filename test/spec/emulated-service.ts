import { createEmulator, type EmulatorOptions } from "../../emulator/index.js";
import { HEADERS } from "./tables/endpoints.js";

/** One answer, as far as the tables speak of it. */
export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
  data: unknown;
}

/** What a test sends: nothing of it is made right on the way. */
export interface Asking {
  /** `null`: no key at all. */
  key?: string | null;
  headers?: Readonly<Record<string, string>>;
  body?: BodyInit | null;
}

type Fetch = typeof globalThis.fetch;

/** An emulator that is asked in HTTP, without the SDK; `watch` may look at what passes. */
export function createService(options: EmulatorOptions = {}, watch = (fetch: Fetch): Fetch => fetch) {
  const emulator = createEmulator({ seed: 1, credits: 100, ...options });
  const fetch = watch(emulator.fetch);

  async function ask(
    method: string,
    path: string,
    { key = emulator.apiKey, headers, body = null }: Asking = {},
  ) {
    const sent = new Headers(headers);
    if (key !== null) sent.set(HEADERS.apiKey, key);
    const response = await fetch(new Request(emulator.url + path, { method, headers: sent, body }));
    return replyOf(response);
  }

  return {
    emulator,
    ask,
    get: (path: string, asking?: Asking) => ask("GET", path, asking),
    post: (body: unknown, { headers, ...asking }: Omit<Asking, "body"> = {}) =>
      ask("POST", "/api/v1/task", {
        ...asking,
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    balance: async () => (await ask("GET", "/api/v1/account/balance")).data,
  };
}

export type EmulatedService = ReturnType<typeof createService>;

async function replyOf(response: Response): Promise<Reply> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = text !== "" && headers.get("Content-Type")?.startsWith("application/json");
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { status, headers, body, data: field(body, "data") };
}

/** A field of what may be an object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** What only counts and remembers requests; everything else must be as it was after one that was refused. */
const ABOUT_REQUESTS = ["requests", "counts", "audit", "window"];

/** The whole state as text, but for what is kept about requests. */
export function stateOf({ emulator }: EmulatedService): string {
  return JSON.stringify(emulator.snapshot(), (key, value) =>
    ABOUT_REQUESTS.includes(key) ? undefined : value,
  );
}

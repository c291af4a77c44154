import { createEmulator, type EmulatorOptions } from "../../emulator/index.js";
import { serviceOf } from "../emulator/support/service.js";
import { HEADERS } from "./tables/endpoints.js";

/** One response, and the `data` in its body. */
export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
  data: unknown;
}

/** What a test sends, unchanged. */
export interface Asking {
  /** `null`: no key at all. */
  key?: string | null;
  headers?: Readonly<Record<string, string>>;
  body?: BodyInit | null;
}

type Fetch = typeof globalThis.fetch;

/** An emulator that is called by HTTP, without the SDK; `watch` can wrap its `fetch`. */
export function createService(options: EmulatorOptions = {}, watch = (fetch: Fetch): Fetch => fetch) {
  const emulator = createEmulator({ seed: 1, credits: 100, ...options });
  const { send } = serviceOf(emulator, { fetch: watch(emulator.fetch) });

  async function ask(method: string, path: string, asking: Asking = {}): Promise<Reply> {
    const { key = emulator.apiKey, headers, body = null } = asking;
    const sent = { ...headers, ...(key !== null && { [HEADERS.apiKey]: key }) };
    const reply = await send(path, { method, headers: sent, body });
    return { ...reply, data: field(reply.body, "data") };
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

/** A field of what may be an object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Parts of the state that a refused request may change: they only count and log requests. */
const ABOUT_REQUESTS = ["requests", "counts", "audit", "window", "lastUsedAt"];

/** The whole state as text, but for what is kept about requests. */
export function stateOf({ emulator }: EmulatedService): string {
  return JSON.stringify(emulator.snapshot(), (key, value) =>
    ABOUT_REQUESTS.includes(key) ? undefined : value,
  );
}

import { describe, expect, it } from "vitest";
import { AsyncMusic } from "../../src/index.js";
import { listen, type Treatment } from "../support/loopback.js";

// POST /api/v1/task: a client must not resubmit. This runs in every runtime that has Node's modules.

const STATUSES = Array.from({ length: 400 }, (_, index) => 200 + index);

const REQUEST = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "Überregional, 雨" },
} as const;

/** Ways in which an application can have the SDK send a request with the runtime's own `fetch`. */
export const ROUTES: readonly (readonly [name: string, fetch: typeof globalThis.fetch | undefined])[] = [
  ["the runtime's fetch", undefined],
  ["a custom fetch that passes its Request on", (input) => fetch(input)],
  ["a custom fetch with two parameters", (input, init) => fetch(input, init)],
];

export function describeSentOnce(): void {
  describe("a create", () => {
    it.each(ROUTES)("is one POST on the wire, whatever the status of the response: %s", async (_, fetch) => {
      const server = await listen(respond);
      for (const status of STATUSES) {
        const client = new AsyncMusic({
          apiKey: "key_4f9a1c77e2b04d0c9e51",
          baseUrl: `${server.url}/${status}`,
          maxRetries: 0,
          ...(fetch === undefined ? {} : { fetch }),
        });
        await client.tasks.create(REQUEST).catch(() => {});
      }
      const body = JSON.stringify(REQUEST);
      expect(server.arrivals.map(({ path }) => path)).toEqual(
        STATUSES.map((status) => `/${status}/api/v1/task`),
      );
      expect(server.arrivals.filter((each) => each.body !== body)).toEqual([]);
      const length = String(new TextEncoder().encode(body).byteLength);
      const unstated = server.arrivals.filter(({ headers }) => headers["content-length"] !== length);
      expect(unstated).toEqual([]);
    });
  });
}

/** Responds to `/418/api/v1/task` with a 418. */
const respond: Treatment = (response, { path }) => {
  const status = Number(path.split("/")[1]);
  response.writeHead(status, { "Content-Type": "application/json", Location: "/elsewhere" });
  response.end(status === 204 || status === 205 || status === 304 ? undefined : "{}");
};

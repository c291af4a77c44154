import { AsyncMusic, type ClientOptions, type TaskRequest } from "../../src/index.js";

export interface SentRequest {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
}

/** A client whose requests never leave: each is noted, and answered by the function. */
export function createStubbedClient(answer: () => Response, options: ClientOptions = {}) {
  const sent: SentRequest[] = [];
  const client = new AsyncMusic({
    apiKey: "emu_stub",
    baseUrl: "https://service.test",
    maxRetries: 0,
    ...options,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const text = await request.text();
      sent.push({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: text === "" ? undefined : JSON.parse(text),
      });
      return answer();
    },
  });
  return { client, sent };
}

export function accepted(): Response {
  const data = {
    task_id: "0b9f6f2e-6f0a-4c3e-9d7c-6a1f4f3d2c1b",
    type: "music",
    status: "pending",
    credits_charged: 10,
    created_at: "2026-01-01T00:00:00.000Z",
    audio_format: null,
  };
  return Response.json({ code: 202, data }, { status: 202, headers: { "X-Request-Id": "r" } });
}

export function asRequest(body: unknown): TaskRequest {
  return body as TaskRequest;
}

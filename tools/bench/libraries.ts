import { createRequire } from "node:module";
import { AsyncMusic } from "async-music";
import ky from "ky";
import type { CallName } from "./responses.ts";
import { SONG } from "./songs.ts";

/** The calls of a library, as an application makes them. */
export type Calls = Record<CallName, () => Promise<unknown>>;

/** Creates a library's client of a service. */
type MakeCalls = (baseUrl: string, fetch: typeof globalThis.fetch) => Calls;

/** The published packages, which have a separate directory and lockfile. */
const peer = createRequire(new URL("peers/package.json", import.meta.url));

const TASKS = "/api/v1/task";
const INPUT = { prompt: "rain in Lisbon" };
const HEADERS = { "x-api-key": "emu_bench", "Content-Type": "application/json" };

/** Each task is read once, since none may be read twice in a second. */
let count = 0;
const nextId = () => `5ba53ba9-9b4b-4e4c-8a30-${(count++).toString(16).padStart(12, "0")}`;

/** Every library with its defaults. */
export const LIBRARIES: Readonly<Record<string, MakeCalls>> = {
  "bare fetch": (baseUrl, fetch) => ({
    retrieve: async () => {
      const response = await fetch(`${baseUrl}${TASKS}/${nextId()}`, { headers: HEADERS });
      return JSON.parse(await response.text());
    },
    create: async () => {
      const body = JSON.stringify(SONG);
      const response = await fetch(baseUrl + TASKS, { method: "POST", headers: HEADERS, body });
      return JSON.parse(await response.text());
    },
  }),

  "async-music"(baseUrl, fetch) {
    const client = new AsyncMusic({ apiKey: "emu_bench", baseUrl, fetch });
    let received = 0;
    client.on("response", () => received++);
    return {
      retrieve: () => client.tasks.retrieve(nextId()),
      create: () => client.tasks.create(SONG),
    };
  },

  ky: (baseUrl, fetch) => ({
    retrieve: () => ky(`${baseUrl}${TASKS}/${nextId()}`, { headers: HEADERS, fetch }).json(),
    create: () => ky.post(baseUrl + TASKS, { json: SONG, headers: HEADERS, fetch }).json(),
  }),

  openai(baseURL, fetch) {
    const { OpenAI } = peer("openai");
    const client = new OpenAI({ apiKey: "none", baseURL, fetch });
    return {
      retrieve: () => client.videos.retrieve(nextId()),
      create: () => client.responses.create({ model: "gpt", input: "rain in Lisbon" }),
    };
  },

  "@anthropic-ai/sdk"(baseURL, fetch) {
    const { Anthropic } = peer("@anthropic-ai/sdk");
    const client = new Anthropic({ apiKey: "none", baseURL, fetch });
    const messages = [{ role: "user", content: "rain in Lisbon" }];
    const requests = [{ custom_id: "one", params: { model: "claude", max_tokens: 100, messages } }];
    return {
      retrieve: () => client.messages.batches.retrieve(nextId()),
      create: () => client.messages.batches.create({ requests }),
    };
  },

  "@fal-ai/client"(_, fetch) {
    const { createFalClient } = peer("@fal-ai/client");
    const { queue } = createFalClient({ credentials: "none", fetch });
    return {
      retrieve: () => queue.status("example/music", { requestId: nextId() }),
      create: () => queue.submit("example/music", { input: INPUT }),
    };
  },

  axios(baseURL, fetch) {
    const axios = peer("axios");
    const stub = { adapter: "fetch", env: { fetch, Request, Response } };
    const client = axios.create({ baseURL, headers: HEADERS, ...(fetch === globalThis.fetch ? {} : stub) });
    return {
      retrieve: async () => (await client.get(`${TASKS}/${nextId()}`)).data,
      create: async () => (await client.post(TASKS, SONG)).data,
    };
  },

  assemblyai(baseUrl) {
    const { AssemblyAI } = peer("assemblyai");
    const { transcripts } = new AssemblyAI({ apiKey: "none", baseUrl });
    return {
      retrieve: () => transcripts.get(nextId()),
      create: () => transcripts.submit({ audio_url: "https://audio.example/rain.mp3" }),
    };
  },

  replicate(baseUrl, fetch) {
    const Replicate = peer("replicate");
    const { predictions } = new Replicate({ auth: "none", baseUrl, fetch });
    return {
      retrieve: () => predictions.get(nextId()),
      create: () => predictions.create({ version: "1", input: INPUT }),
    };
  },
};

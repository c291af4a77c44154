/** Sets the globals that the examples of the README and the docstrings use. `stage-names.ts` declares their types. */

import {
  AsyncMusic,
  creditsFor,
  expiresAt,
  extraField,
  isMusic,
  memoryBudget,
  memoryJournal,
  progressOf,
  taskEvents,
  USD_PER_CREDIT,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { fileJournal, saveAudio } from "async-music/node";
import { setupServer } from "msw/node";

/** The service of the environment's base URL, on a real clock: a song is ready at its first poll. */
const service = createEmulator({ clock: "real" });
for (const provider of Object.values(service.providers)) provider.always({ polls: 1 });
process.env["ASYNC_MUSIC_BASE_URL"] = service.url;
process.env["ASYNC_MUSIC_API_KEY"] = service.apiKey;
globalThis.fetch = service.fetch;

const emulator = createEmulator();
const client = new AsyncMusic(emulator.connection());
const request = { model: "provider_b", task_type: "music", input: { prompt: "slow folk" } } as const;
const song = await client.tasks.run(request);

export const stage = {
  AsyncMusic,
  USD_PER_CREDIT,
  createEmulator,
  creditsFor,
  emulatorHandlers,
  expiresAt,
  extraField,
  fileJournal,
  isMusic,
  memoryBudget,
  memoryJournal,
  progressOf,
  saveAudio,
  setupServer,
  taskEvents,
  apiKey: service.apiKey,
  baseUrl: service.url,
  client,
  clip: song.output.result[0],
  emulator,
  journal: memoryJournal(),
  request,
  requests: [request],
  save: (_taskId: string) => {},
  song,
  taskId: song.task_id,
};
Object.assign(globalThis, stage);

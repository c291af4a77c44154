import type { AsyncMusic } from "async-music";
import { SONG_REQUEST, TASK_ID } from "./responses.js";

/** Each call of a client that sends one request to the API. */
export const CALLS: [name: string, call: (client: AsyncMusic) => Promise<unknown>][] = [
  ["create", (client) => client.tasks.create(SONG_REQUEST)],
  ["retrieve", (client) => client.tasks.retrieve(TASK_ID)],
  ["balance", (client) => client.account.balance()],
  ["usage", (client) => client.account.usage()],
];

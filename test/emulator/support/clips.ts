import { type Service, VALID } from "./service.js";

export async function clipsOf({ create, read }: Service, body: unknown = VALID.song, outcome: object = {}) {
  return (await read(await create(body, { polls: 1, ...outcome }))).output.result;
}

export async function fetchBytes({ emulator }: Service, url: string, init?: RequestInit) {
  const response = await emulator.fetch(url, init);
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

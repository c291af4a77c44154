import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index.js";
import { MODELS } from "../../src/contract/service.js";
import type { Arrangement } from "./arrangement.js";

/** A request of the client, and what it received. */
export interface ClientRequest {
  /** In milliseconds on the clock of the emulator. */
  readonly at: number;
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** `null` if the connection broke before a response. */
  readonly status: number | null;
}

/** The service of one run: an emulator, and all requests of the client. */
export interface ScenarioService {
  readonly emulator: Emulator;
  readonly fetch: typeof globalThis.fetch;
  readonly requests: readonly ClientRequest[];
}

/** A song that takes two reads, and whose only clip is saved with one download. */
const USUAL = { polls: 2, clips: 1 } as const;

export function createService(
  { outcome, firstOutcome, faults = [], policy, credits = 100, prepare, deviate }: Arrangement,
  options: Pick<EmulatorOptions, "clock" | "seed" | "url">,
): ScenarioService {
  const emulator = createEmulator({ ...options, policy, credits });
  for (const model of MODELS) {
    emulator.providers[model].always({ ...USUAL, ...outcome });
    if (firstOutcome !== undefined) emulator.providers[model].next({ ...USUAL, ...firstOutcome });
  }
  for (const fault of faults) emulator.faults.add(fault);
  prepare?.(emulator);
  const deviation = deviate?.();
  const requests: ClientRequest[] = [];
  const respond = (request: Request) =>
    deviation === undefined
      ? emulator.fetch(request)
      : deviation(request, (next) => emulator.fetch(next), emulator);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { method, headers } = request;
    const url = new URL(request.url);
    // The clock of the emulator is for the client's waits, and no part of the service.
    if (url.pathname.startsWith("/_emulator/")) return emulator.fetch(request);
    const at = emulator.clock.now();
    const add = (status: number | null) => requests.push({ at, method, url, headers, status });
    try {
      const response = await respond(request);
      add(response.status);
      return response;
    } catch (error) {
      add(null);
      throw error;
    }
  };
  return { emulator, fetch, requests };
}

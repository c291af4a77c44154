import {
  type ComplianceRule,
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type Fault,
  type FaultRule,
} from "async-music/emulator";

export const TASK = "/api/v1/task";
export const BALANCE = "/api/v1/account/balance";
export const USAGE = "/api/v1/account/usage";

/** A request that the service accepts, for each kind of task. */
export const VALID = {
  song: { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain in Lisbon" } },
  custom: { model: "provider_a", task_type: "music", input: { prompt: "[Verse] la la", tags: "fado" } },
  providerB: { model: "provider_b", task_type: "music", input: { prompt: "slow fado" } },
  lyrics: { model: "provider_a", task_type: "lyrics", input: { prompt: "a song of rain" } },
  upload: { model: "provider_a", task_type: "upload", input: { url: "https://files.example.com/hum.wav" } },
  concat: { model: "provider_a", task_type: "concat", input: { clip_id: "no such clip" } },
} as const;

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
  body: any;
}

/** An emulator, called by bare `fetch` with one API key. */
export interface Service {
  emulator: Emulator;
  /** The key of its requests. */
  apiKey: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(body: unknown, headers?: Record<string, string>): Promise<Reply>;
  send(path: string, init?: RequestInit): Promise<Reply>;
  /** Creates a task that must be accepted, and returns its id. */
  create(body?: unknown, outcome?: unknown): Promise<string>;
  /** The task, as a read shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
  read(taskId: string): Promise<any>;
  balance(): Promise<{ available: number; frozen: number; total: number }>;
  /** Adds a fault; unless the rule says otherwise, it applies to the next request. */
  fault(fault: Fault, rule?: Omit<FaultRule, "fault">): void;
  advance(ms: number): Promise<void>;
  /** The rules that the audit's findings name, oldest first. */
  findings(): ComplianceRule[];
  /** The kinds of the first account's ledger entries, oldest first. */
  ledgerKinds(): string[];
}

/** A `POST` of this JSON, for calls of `fetch`. */
export function postOf({ emulator }: Pick<Service, "emulator">, body: unknown, more: RequestInit = {}) {
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json", ...more.headers };
  return { method: "POST", body: JSON.stringify(body), ...more, headers };
}

/** A fresh emulator whose rate limit is out of the way, unless the test is about it. */
export function createService(options: EmulatorOptions = {}): Service {
  return serviceOf(createEmulator({ clock: "virtual", limits: { requests: 1_000_000 }, ...options }));
}

/** The same for an existing emulator, with one of its keys or through another `fetch`. */
export function serviceOf(
  emulator: Emulator,
  { apiKey = emulator.apiKey, fetch = emulator.fetch, url = emulator.url } = {},
): Service {
  const send = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(path.startsWith("/") ? url + path : path, init);
    const text = await response.text();
    const isJson = response.headers.get("Content-Type") === "application/json";
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  };
  const get: Service["get"] = (path, headers = {}) =>
    send(path, { headers: { "x-api-key": apiKey, ...headers } });
  const post: Service["post"] = (body, headers = {}) =>
    send(TASK, {
      method: "POST",
      headers: { "x-api-key": apiKey, "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  return {
    emulator,
    apiKey,
    send,
    get,
    post,
    async create(body = VALID.song, outcome) {
      const headers = outcome === undefined ? {} : { "X-Emulator-Outcome": JSON.stringify(outcome) };
      const { status, body: answer } = await post(body, headers);
      if (status !== 202) throw new Error(`Expected the task to be accepted: ${JSON.stringify(answer)}`);
      return answer.data.task_id;
    },
    read: async (taskId) => (await get(`${TASK}/${taskId}`)).body.data,
    balance: async () => (await get(BALANCE)).body.data,
    fault: (fault, rule) => emulator.faults.add({ ...rule, fault }),
    advance: (ms) => emulator.clock.advance(ms),
    findings: () => emulator.audit().map(({ rule }) => rule),
    ledgerKinds: () => emulator.accounts.get(emulator.accountId).ledger.map(({ kind }) => kind),
  };
}

/** A service, and its control plane by plain HTTP. */
export interface ControlledService extends Service {
  /** One call below `/_emulator`, with a body as JSON. */
  control(method: string, path: string, body?: unknown): Promise<Reply>;
  /** The whole state as text, to compare. */
  frozenState(): string;
}

export function createControlled(...options: Parameters<typeof createService>): ControlledService {
  return controlled(createService(...options));
}

export function controlled(service: Service): ControlledService {
  return {
    ...service,
    control: (method, path, body) =>
      service.send(`/_emulator${path}`, {
        method,
        ...(body !== undefined && {
          headers: { "Content-Type": "application/json" },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      }),
    frozenState: () => JSON.stringify(service.emulator.snapshot()),
  };
}

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

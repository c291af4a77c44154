import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../emulator/index.js";
import { describeCore } from "../contract/describe-contract.js";
import { testKit } from "../contract/kit.js";
import { injectedFetch, openerFor } from "../contract/world.js";
import { createService } from "../spec/emulated-service.js";
import { POLICIES } from "../spec/tables/policies.js";
import { RAW_BODIES } from "../spec/tables/raw-bodies.js";
import { REQUESTS } from "../spec/tables/requests/index.js";
import { SAMPLES } from "../spec/tables/samples.js";
import { fetchDocument } from "./support.js";
import { createValidator } from "./validator.js";

const { answerProblems } = createValidator(await fetchDocument());

/** How the responses of one test differ from the description, and how many were compared. */
let problems: string[] = [];
let judged = 0;

beforeEach(() => {
  problems = [];
  judged = 0;
});

afterEach(() => expect(problems).toEqual([]));

describe("the description allows every response in the contract's tests", () => {
  const open = openerFor(async (emulator) => {
    const fetch = judging(emulator.fetch);
    return { ...(await injectedFetch(emulator)), fetch, clientFetch: fetch };
  });
  describeCore(open, testKit);

  it("the responses of a song's requests are compared with the description", async () => {
    const { client } = await open();
    await client.tasks.run(SAMPLES["provider_a music"]);
    expect(judged).toBeGreaterThanOrEqual(2);
  });
});

describe("the description allows the response to every request", () => {
  it.each(REQUESTS)("$section: $name", async ({ body }) => {
    await judgeAnswers({}, ({ post }) => post(body));
  });

  it.each(POLICIES)("$name", async ({ policy, body }) => {
    await judgeAnswers({ policy }, ({ post }) => post(body));
  });

  it.each(RAW_BODIES)("$name", async ({ body, contentType }) => {
    const headers = contentType === null ? {} : { "Content-Type": contentType };
    await judgeAnswers({}, ({ ask }) => ask("POST", "/api/v1/task", { headers, body }));
  });
});

it("the description allows the refusal of every request beyond the rate limit", async () => {
  await judgeAnswers({ limits: { requests: 1 } }, async ({ emulator, post, get }) => {
    await get("/api/v1/account/usage");
    await post(SAMPLES["provider_a music"]);
    for (const path of ["account/balance", "account/usage", "task/no-such-task"])
      await get(`/api/v1/${path}`);
    expect(emulator.requests.map(({ status }) => status)).toEqual([200, 429, 429, 429, 429]);
  });
});

it.each([
  ["an undocumented status", { status: 404 }],
  ["a response without a request ID", { headers: new Headers() }],
  ["credits that are text", { body: { code: 200, data: { available: "1", frozen: 0, total: 1 } } }],
  ["a missing field", { body: { code: 200, data: { available: 1, frozen: 0 } } }],
  [
    "an error code of another status",
    { status: 401, body: { code: 401, error_code: "internal_error", message: "" } },
  ],
  ["a 429 without its wait", { status: 429, body: { code: 429, error_code: "rate_limited", message: "" } }],
])("the description does not allow %s", (_, change) => {
  const right = {
    status: 200,
    headers: new Headers({ "X-Request-Id": "r-1", "Retry-After": "1" }),
    body: { code: 200, data: { available: 1, frozen: 0, total: 1 } },
  };
  expect(answerProblems("GET", "/api/v1/account/balance", right)).toEqual([]);
  expect(answerProblems("GET", "/api/v1/account/balance", { ...right, ...change })).not.toEqual([]);
});

async function judgeAnswers(
  options: EmulatorOptions,
  act: (service: ReturnType<typeof createService>) => Promise<unknown>,
): Promise<void> {
  const service = createService(options, judging);
  await act(service);
  expect(judged).toBeGreaterThan(0);
  expect(judged).toBe(service.emulator.requests.length);
}

/** The same `fetch`. It compares all responses with the description, except those of faults. */
function judging(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const body = await jsonOf(response.clone());
    if (body === undefined || body["message"] === "A fault of the emulator caused this response.")
      return response;
    const { status, headers } = response;
    const { pathname } = new URL(request.url);
    problems.push(...answerProblems(request.method, pathname, { status, headers, body }));
    judged++;
    return response;
  };
}

/** The JSON body; `undefined` if it was cut or is not JSON. */
async function jsonOf(response: Response): Promise<Record<string, unknown> | undefined> {
  if (response.headers.get("Content-Type") !== "application/json") return undefined;
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

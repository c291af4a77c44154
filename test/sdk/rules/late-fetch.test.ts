import { afterEach, expect, test, vi } from "vitest";
import { lateFetch } from "../../../src/http/late-fetch.js";

// Whatever a caller hands in as `fetch`, or puts in the place of the global one, gets a request to look into.

const ADDRESS = "https://music.example/api/v1/task";
const OPTIONS = { method: "POST", headers: { "X-Team": "radio" }, body: "{}" };

afterEach(() => void vi.unstubAllGlobals());

function createOwn() {
  const { signal } = new AbortController();
  const own = vi.fn(async (_input: RequestInfo | URL, _init?: RequestInit) => new Response("heard"));
  const arrived = async () => {
    const [input, init] = own.mock.calls[0] ?? [];
    if (!(input instanceof Request)) return input;
    const { url, method, headers } = input;
    const isBeside = init?.signal === signal;
    return { url, method, team: headers.get("X-Team"), body: await input.text(), isBeside };
  };
  return { own, arrived, signal };
}

const WHOLE = { url: ADDRESS, method: "POST", team: "radio", body: "{}", isBeside: true };

test("a caller's own gets a request, and the signal beside it", async () => {
  const { own, arrived, signal } = createOwn();
  await lateFetch(own)(ADDRESS, { ...OPTIONS, signal });
  expect(await arrived()).toEqual(WHOLE);
});

test("so does what has taken the place of the global one, also afterwards", async () => {
  const { own, arrived, signal } = createOwn();
  const fetch = lateFetch(undefined);
  vi.stubGlobal("fetch", own);
  await fetch(ADDRESS, { ...OPTIONS, signal });
  expect(await arrived()).toEqual(WHOLE);
});

test("one that takes a request alone gets one that knows the signal", async () => {
  const controller = new AbortController();
  const seen: Request[] = [];
  const own = async (request: RequestInfo | URL) => {
    if (request instanceof Request) seen.push(request);
    return new Response();
  };
  await lateFetch(own)(ADDRESS, { ...OPTIONS, signal: controller.signal });
  controller.abort();
  expect(seen.map(({ url, signal }) => [url, signal.aborted])).toEqual([[ADDRESS, true]]);
});

test("a request is handed on as it is", async () => {
  const { own } = createOwn();
  const request = new Request(ADDRESS);
  const init = {};
  await lateFetch(own)(request, init);
  expect(own.mock.calls).toEqual([[request, init]]);
  expect(own.mock.calls[0]?.[0]).toBe(request);
});

test("the platform's own sends what it is given", async () => {
  const answer = await lateFetch(fetch)("data:text/plain,rain", { headers: { "X-Team": "radio" } });
  expect(await answer.text()).toBe("rain");
});

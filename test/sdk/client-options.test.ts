import { AsyncMusic, AsyncMusicError, type ClientOptions, InvalidOptionError } from "async-music";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { balance } from "../support/responses.js";

const GIVEN = { apiKey: "key_1", baseUrl: "https://music.example" };

beforeEach(() => {
  vi.stubEnv("ASYNC_MUSIC_API_KEY", undefined);
  vi.stubEnv("ASYNC_MUSIC_BASE_URL", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** Why a client could not be made. */
function refusal(options?: unknown): InvalidOptionError {
  try {
    new AsyncMusic(options as ClientOptions);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  return expect.fail("Expected the options to be refused");
}

describe("an invalid option is an error with its name, its rule and its value", () => {
  const BAD: [option: string, value: unknown, rule: RegExp, got: string][] = [
    ["apiKey", "", /ASCII/, ""],
    ["apiKey", "two words", /ASCII/, ""],
    ["apiKey", "line\n", /ASCII/, ""],
    ["apiKey", "ключ", /ASCII/, ""],
    ["apiKey", 7, /ASCII/, ""],
    ["apiKey", "https://music.example", /looks like a URL/, ""],
    ["apiKey", "HTTPS://music.example", /looks like a URL/, ""],
    ["baseUrl", "", /http/, 'got "".'],
    ["baseUrl", "music.example", /http/, 'got "music.example".'],
    ["baseUrl", "ftp://music.example", /http/, 'got "ftp://music.example".'],
    ["baseUrl", "/api", /http/, 'got "/api".'],
    ["baseUrl", 7, /http/, 'got "7".'],
    ["baseUrl", "https://music.example?x=1", /query/, "?x=1"],
    ["baseUrl", "https://music.example#top", /fragment/, "#top"],
    ["baseUrl", "https://me:word@music.example", /user name/, ""],
    ["baseUrl", "https://me@music.example", /user name/, ""],
    ["baseUrl", "https://:word@music.example", /password/, ""],
    ["baseUrl", "https://music.example/api/v1", /api\/v1/, 'got "https://music.example/api/v1".'],
    ["baseUrl", "https://music.example/api/v1/", /api\/v1/, 'got "https://music.example/api/v1/".'],
    ["fetch", "fetch", /function/, "got a string of length 5."],
    ["fetch", {}, /function/, "got object."],
    ["timeoutMs", 0, /above 0/, "got 0."],
    ["timeoutMs", -1, /above 0/, "got -1."],
    ["timeoutMs", Number.NaN, /above 0/, "got NaN."],
    ["timeoutMs", "1000", /above 0/, "got a string of length 4."],
    ["timeoutMs", 2 ** 31, /at most 2147483647/, "got 2147483648."],
    ["maxRetries", -1, /0 or more/, "got -1."],
    ["maxRetries", 1.5, /whole/, "got 1.5."],
    ["maxRetries", Number.NaN, /whole/, "got NaN."],
    ["maxRetries", "2", /whole/, "got a string of length 1."],
    ["maxRetries", [0, "2", 4, 6], /whole/, "got [0, a string of length 1, 4]."],
    ["retryBudgetMs", -1, /0/, "got -1."],
    ["retryBudgetMs", Number.NaN, /0/, "got NaN."],
    ["retryBudgetMs", "5", /0/, "got a string of length 1."],
    ["clock", {}, /now.*sleep/, ""],
    ["clock", { now: () => 0 }, /now.*sleep/, ""],
    ["clock", Date, /now.*sleep/, ""],
    ["pacer", {}, /admit.*rateLimit/, ""],
    ["pacer", () => undefined, /admit.*rateLimit/, ""],
    ["random", 4, /function/, "got 4."],
    ["validateRequests", "yes", /true or false/, "got a string of length 3."],
    ["validateRequests", 0, /true or false/, "got 0."],
  ];

  test.each(BAD)("%s: %o", (option, value, rule, got) => {
    const error = refusal({ ...GIVEN, [option]: value });
    expect(error).toBeInstanceOf(AsyncMusicError);
    expect(error.name).toBe("InvalidOptionError");
    expect(error.option).toBe(option);
    expect(error.message).toContain(`\`${option}\``);
    expect(error.message).toMatch(rule);
    expect(error.message).toContain(got);
  });

  test.each<[options: object | undefined, option: string, variable: RegExp]>([
    [undefined, "apiKey", /ASYNC_MUSIC_API_KEY/],
    [{}, "apiKey", /ASYNC_MUSIC_API_KEY/],
    [{ baseUrl: GIVEN.baseUrl }, "apiKey", /ASYNC_MUSIC_API_KEY/],
    [{ ...GIVEN, apiKey: undefined }, "apiKey", /ASYNC_MUSIC_API_KEY/],
    [{ apiKey: "key_1" }, "baseUrl", /ASYNC_MUSIC_BASE_URL/],
  ])("%o without `%s` names its environment variable", (options, option, message) => {
    expect(refusal(options)).toMatchObject({ option, message });
  });

  test("a base URL that contains the key is refused and not shown", () => {
    const apiKey = "key_4f9a1c77e2b04d0c9e51";
    for (const path of [apiKey, `a/${apiKey}/b`, apiKey.replace("_", "%5F")]) {
      const error = refusal({ apiKey, baseUrl: `https://gateway.example/${path}` });
      expect(error).toMatchObject({
        option: "baseUrl",
        message: "`baseUrl` must not contain the API key.",
      });
    }
  });

  test("no part of a base URL with a password is shown", () => {
    for (const host of ["music.example", "music.example:port", "[::music]", ""]) {
      const { message } = refusal({ ...GIVEN, baseUrl: `https://me:secret@${host}` });
      expect(message).not.toContain("secret");
    }
  });
});

describe("the environment", () => {
  test("provides the key and the base URL that are not passed", async () => {
    vi.stubEnv("ASYNC_MUSIC_API_KEY", "key_env");
    vi.stubEnv("ASYNC_MUSIC_BASE_URL", "https://env.example");
    const requests: Request[] = [];
    const fetch = async (...given: Parameters<typeof globalThis.fetch>) => {
      requests.push(new Request(...given));
      return balance();
    };
    await new AsyncMusic({ fetch }).account.balance();
    await new AsyncMusic({ apiKey: undefined, baseUrl: undefined, fetch }).account.balance();
    for (const { url, headers } of requests) {
      expect(url).toBe("https://env.example/api/v1/account/balance");
      expect(headers.get("x-api-key")).toBe("key_env");
    }
    expect(requests).toHaveLength(2);
  });

  test("is ignored for options that are passed", () => {
    vi.stubEnv("ASYNC_MUSIC_BASE_URL", "https://env.example");
    expect(new AsyncMusic(GIVEN).baseUrl).toBe("https://music.example");
  });

  test("counts as unset if it is empty", () => {
    vi.stubEnv("ASYNC_MUSIC_API_KEY", "");
    expect(refusal({ baseUrl: GIVEN.baseUrl }).message).toContain("ASYNC_MUSIC_API_KEY");
  });

  test("is optional for runtimes without one, or that deny access", () => {
    vi.stubGlobal("process", undefined);
    expect(new AsyncMusic(GIVEN)).toBeInstanceOf(AsyncMusic);
    const locked = {
      get env() {
        throw new Error("NotCapable");
      },
    };
    vi.stubGlobal("process", locked);
    expect(new AsyncMusic(GIVEN)).toBeInstanceOf(AsyncMusic);
    expect(refusal({ baseUrl: GIVEN.baseUrl }).option).toBe("apiKey");
  });
});

describe("a browser", () => {
  const PAGES: [what: string, globals: Record<string, unknown>][] = [
    ["a page", { window: {}, document: {} }],
    ["a page with a document only on its window", { window: { document: {} } }],
    ["a worker of a page", { importScripts: () => {} }],
  ];

  test.each(PAGES)(
    "%s is refused with the reason, unless `dangerouslyAllowBrowser` is true",
    (_, globals) => {
      for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
      const { message } = refusal(GIVEN);
      expect(message).toContain("dangerouslyAllowBrowser");
      expect(message).toMatch(/browser.*key/);
      expect(new AsyncMusic({ ...GIVEN, dangerouslyAllowBrowser: true })).toBeInstanceOf(AsyncMusic);
      for (const dangerouslyAllowBrowser of [false, "false", "true", 1])
        expect(refusal({ ...GIVEN, dangerouslyAllowBrowser }).option).toBe("dangerouslyAllowBrowser");
    },
  );

  test("is not assumed for a runtime that only has a window", () => {
    vi.stubGlobal("window", { navigator: {} });
    expect(new AsyncMusic(GIVEN)).toBeInstanceOf(AsyncMusic);
  });
});

describe("the base URL", () => {
  const ADDRESSES: [baseUrl: string, service: string][] = [
    ["https://music.example", "https://music.example"],
    ["https://music.example/", "https://music.example"],
    ["https://music.example//", "https://music.example"],
    [" https://music.example ", "https://music.example"],
    ["HTTPS://Music.Example", "https://music.example"],
    ["http://127.0.0.1:4010", "http://127.0.0.1:4010"],
    ["http://[::1]:4010/", "http://[::1]:4010"],
    ["https://proxy.example/music", "https://proxy.example/music"],
    ["https://proxy.example/music/", "https://proxy.example/music"],
    ["https://music.example?", "https://music.example"],
    ["https://music.example/#", "https://music.example"],
  ];

  test.each(ADDRESSES)("%j leads to %s", async (baseUrl, expected) => {
    let url = "";
    const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
      url = new Request(input, init).url;
      return balance();
    };
    await new AsyncMusic({ apiKey: "key_1", baseUrl, fetch }).account.balance();
    expect(url).toBe(`${expected}/api/v1/account/balance`);
  });
});

describe("fetch", () => {
  test("is the global one at the time of each request", async () => {
    const client = new AsyncMusic(GIVEN);
    const later = vi.fn(async () => balance());
    vi.stubGlobal("fetch", later);
    await client.account.balance();
    expect(later).toHaveBeenCalledOnce();
  });

  test("is called without `this`, as browsers require", async () => {
    const callers: unknown[] = [];
    const fetch = async function (this: unknown, input: string | URL | Request): Promise<Response> {
      callers.push(this);
      return new Request(input).url.endsWith("/song") ? new Response("la") : balance();
    };
    const client = new AsyncMusic({ ...GIVEN, fetch });
    await client.account.balance();
    await client.audio.download("https://audio.example/song");
    expect(callers).toEqual([undefined, undefined]);
  });
});

test("the limits of each range are valid", () => {
  const options = { timeoutMs: 2 ** 31 - 1, maxRetries: 0, retryBudgetMs: 0, validateRequests: false };
  expect(new AsyncMusic({ ...GIVEN, ...options })).toBeInstanceOf(AsyncMusic);
  expect(new AsyncMusic({ ...GIVEN, retryBudgetMs: Number.POSITIVE_INFINITY })).toBeInstanceOf(AsyncMusic);
});

test("options that are undefined count as left out", () => {
  const names = ["fetch", "timeoutMs", "maxRetries", "retryBudgetMs", "clock", "random", "validateRequests"];
  const options = Object.fromEntries(names.map((name) => [name, undefined]));
  expect(new AsyncMusic({ ...GIVEN, ...options })).toBeInstanceOf(AsyncMusic);
});

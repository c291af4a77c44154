/** A test that shares an emulator with others: it creates an account, and uses nothing but its own. */

interface Observed {
  account_id: string;
  /** Everything that the test saw, without addresses. Each ID is replaced by its number of first appearance. */
  seen: string;
  /** Whether it broke a rule on purpose. */
  breaks: boolean;
}

const SONGS = [
  { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain in Lisbon" } },
  { model: "provider_a", task_type: "lyrics", input: { prompt: "a song of rain" } },
  { model: "provider_b", task_type: "music", input: { prompt: "slow fado" } },
  { model: "provider_a", task_type: "music", input: { prompt: "[Verse] la la", tags: "fado" } },
];

const ENDS = [
  { outcome: "success", clips: 3, polls: 1 },
  { outcome: "failure", error_code: "content_moderation", polls: 1 },
  { outcome: "reject" },
  { outcome: "hang" },
];

/** @param variant - decides on the faults, outcomes and limits, so that neighbors differ */
export async function useEmulator(
  fetch: typeof globalThis.fetch,
  url: string,
  variant: number,
  ready: () => Promise<void>,
): Promise<Observed> {
  const seen: unknown[] = [];
  const headers = { "Content-Type": "application/json" };
  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method, headers: { ...headers, ...more }, ...init });
    const text = await response.text();
    const remaining = response.headers.get("X-RateLimit-Remaining");
    return { status: response.status, remaining, json: text === "" ? null : JSON.parse(text) };
  };
  const control = async (method: string, path: string, body?: unknown) =>
    (await send(method, `/_emulator${path}`, body)).json;

  const { account_id, api_key } = await control("POST", "/accounts", { credits: 1000 + variant });
  const scope = `?account_id=${account_id}`;
  await ready();

  let requests = 0;
  /** A request to the service, whose response is observed. Its ID is what another test would choose, too. */
  const call = async (method: string, path: string, body?: unknown) => {
    const own = { "x-api-key": api_key, "X-Request-Id": `request-${++requests}` };
    const response = await send(method, `/api/v1${path}`, body, own);
    seen.push([method, path, response]);
    return response.json?.data;
  };

  const limit = 32 + (variant % 7);
  await control("PATCH", "/limits", { account_id, requests: limit, window_seconds: 3600 });
  const policy = variant % 3 === 0 ? { null_audio_format: "omitted" } : { rate_limit_window: "sliding" };
  await control("PATCH", "/policy", { account_id, ...policy });
  const status = 500 + (variant % 4);
  const balance = { method: "GET", path: "/api/v1/account/balance" };
  const rule = { ...balance, times: 1 + (variant % 3), fault: { kind: "status", status, when: "before" } };
  await control("POST", "/faults", { account_id, ...rule });
  for (const each of [502, 503]) {
    const fault = { kind: "status", status: each, when: "before" };
    await control("POST", "/faults", { account_id, path: "/api/v1/account/usage", probability: 0.4, fault });
  }
  await control("POST", "/providers/provider_a/next", { account_id, ...ENDS[variant % ENDS.length] });
  await control("PUT", "/providers/provider_b/always", { account_id, polls: 1 + (variant % 3) });

  for (const song of SONGS) {
    const task = await call("POST", "/task", song);
    await call("GET", "/account/usage");
    await call("GET", "/account/balance");
    if (task === undefined) continue;
    seen.push((await control("GET", `/tasks/${task.task_id}`)).plan);
    await call("GET", `/task/${task.task_id}`);
  }
  const hail = { ...SONGS[0], input: { gpt_description_prompt: "hail" } };
  await call("POST", "/task", { ...hail, audio_format: variant % 5 === 0 ? null : "ogg" });
  for (let round = 0; round < 8; round++) await call("GET", "/account/usage");
  const breaks = variant % 2 === 1;
  if (breaks) {
    const { task_id } = await call("POST", "/task", {
      ...SONGS[0],
      input: { gpt_description_prompt: "snow" },
    });
    for (let read = 0; read < 2; read++) await call("GET", `/task/${task_id}`);
  }
  seen.push(await control("POST", `/accounts/${account_id}/top-ups`, { usd: 5, method: "card" }));

  // Up to the first request that the limit refuses.
  while (requests <= limit) await call("GET", "/account/balance");
  seen.push(await control("GET", `/faults${scope}`));
  await control("DELETE", `/faults${scope}`);
  await control("DELETE", `/providers/provider_a/next${scope}`);
  for (const path of ["/requests", "/audit", "/state"]) seen.push(await control("GET", path + scope));
  seen.push((await control("POST", "/exchanges/har", { account_id })).log.entries.length);
  seen.push((await control("POST", "/exchanges/search", { account_id, text: "task" })).numbers.length);
  return { account_id, seen: withoutIds(JSON.stringify(seen)), breaks };
}

function withoutIds(text: string): string {
  const names = new Map<string, string>();
  return text
    .replaceAll(/https?:\/\/[\w.:-]+/g, "")
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|AM-\d{6}/g, (id) => {
      const name = names.get(id) ?? `id ${names.size}`;
      names.set(id, name);
      return name;
    });
}

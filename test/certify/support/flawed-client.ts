import { writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Client } from "../../../cli/certify/client.js";
import type { Clip } from "../../../src/index.js";

/** What a client does wrong. */
export type Flaw =
  | "saves nothing"
  | "sends unsafe request IDs"
  | "repeats a POST after errors"
  | "repeats a refused POST"
  | "polls twice a second"
  | "polls every 2 seconds"
  | "reads a song again after its end"
  | "needs an output"
  | "needs a progress"
  | "gives up at failed polls"
  | "waits 5 seconds for a response"
  | "guesses the wait after a 429"
  | "remembers the first wait"
  | "gives up at a 429"
  | "needs X-RateLimit-Remaining"
  | "makes another task at once"
  | "believes the prose"
  | "knows the permanent codes"
  | "succeeds without a song"
  | "is silent"
  | "names files mp3"
  | "names files wav"
  | "names files by their URL"
  | "does not check downloads"
  | "pays again for expired audio"
  | "does not read again"
  | "sends the key with downloads"
  | "needs two clips"
  | "knows all fields"
  | "needs a title"
  | "names files by their title"
  | "knows all statuses"
  | "retries 4xx"
  | "prints its key";

class Stop extends Error {}

/** A client of 100 lines that passes every scenario without a flaw. */
export function flawedClient(flaw?: Flaw): Client {
  return async (createService, outDirectory) => {
    const service = createService();
    const { url, apiKey, clock } = service.emulator;
    const has = (...flaws: Flaw[]) => flaw !== undefined && flaws.includes(flaw);
    const sleep = (seconds: number) => clock.sleep(seconds * 1000);
    const headers = {
      "x-api-key": apiKey,
      "Content-Type": "application/json",
      "X-Request-Id": has("sends unsafe request IDs") ? "a song" : "song",
    };
    const order = { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain" } };
    const body = JSON.stringify({ ...order, ...(!has("names files wav") && { audio_format: "mp3" }) });

    let firstWait: number | null = null;
    let tasks = 0;
    const waitFor = async (response: Response) => {
      if (has("gives up at a 429")) throw new Stop("429");
      const stated = Number(response.headers.get("Retry-After"));
      firstWait ??= stated;
      await sleep(
        has("guesses the wait after a 429") ? 1 : has("remembers the first wait") ? firstWait : stated,
      );
    };

    const create = async (): Promise<string> => {
      for (let attempt = 0; ; attempt++) {
        try {
          const sent = service.fetch(`${url}/api/v1/task`, { method: "POST", headers, body });
          const limit =
            has("waits 5 seconds for a response") && attempt === 0 ? sleep(5) : new Promise<void>(() => {});
          const response = await Promise.race([sent, limit.then(() => null)]);
          if (response === null) continue;
          if (response.status === 429) {
            await waitFor(response);
            continue;
          }
          if (has("needs X-RateLimit-Remaining") && !response.headers.has("X-RateLimit-Remaining"))
            throw new Stop("no rate limit");
          const { data, error_code: code } = await response.json();
          if (response.status >= 400 && response.status < 500) {
            if (has("repeats a refused POST", "retries 4xx") && attempt < 6) continue;
            throw new Stop(code);
          }
          tasks++;
          return data.task_id;
        } catch (error) {
          if (!has("repeats a POST after errors") || error instanceof Stop || attempt > 3) throw error;
        }
      }
    };

    // biome-ignore lint/suspicious/noExplicitAny: a client that checks no response
    const read = async (taskId: string): Promise<any> => {
      for (let attempt = 0; ; attempt++) {
        try {
          const response = await service.fetch(`${url}/api/v1/task/${taskId}`, { headers });
          if (response.status === 429) await waitFor(response);
          else if (response.status === 200) return (await response.json()).data;
          else if (response.status < 500 && !(has("retries 4xx") && attempt < 6))
            throw new Stop(`status ${response.status}`);
          else throw new Error("5xx");
        } catch (error) {
          if (error instanceof Stop || has("gives up at failed polls")) throw error;
          await sleep(5);
        }
      }
    };

    const wait = async (taskId: string): Promise<Clip[]> => {
      for (let polls = 0; polls < 800; polls++) {
        await sleep(has("polls twice a second") ? 0.5 : has("polls every 2 seconds") ? 2 : 5);
        const task = await read(taskId);
        if (has("needs an output") && task.output.status === "") throw new Stop("no output");
        if (has("needs a progress") && task.output.progress.length === 0) throw new Stop("no progress");
        if (task.status === "success")
          return (has("reads a song again after its end") ? await read(taskId) : task).output.result;
        const isKnown = ["pending", "running"].includes(task.status);
        if (has("knows all statuses") ? !isKnown : ["failure", "timeout"].includes(task.status)) {
          const permanent = ["content_moderation", "invalid_task_input"].includes(task.error_code);
          const resends: boolean =
            has("makes another task at once") ||
            (has("believes the prose") && task.error.includes("try again")) ||
            (has("knows the permanent codes") && !permanent && task.error_code !== "upstream_provider_error");
          if (resends && tasks < 3) return wait(await create());
          if (has("succeeds without a song")) return [];
          throw new Stop(`${task.status} ${task.error_code}`);
        }
      }
      throw new Stop("not ended");
    };

    const download = async (taskId: string, { audio_url, id, title }: Clip): Promise<string> => {
      let address = audio_url;
      for (let attempt = 0; attempt < 4; attempt++) {
        try {
          const init = has("sends the key with downloads") ? { headers } : {};
          const response = await service.fetch(address, init);
          if (!response.ok && !has("does not check downloads")) {
            if (response.status === 404) throw new Stop("expired");
            if (response.status === 403 && !has("does not read again"))
              address = (await read(taskId)).output.result[0].audio_url;
            throw new Error(`status ${response.status}`);
          }
          const type = response.headers.get("Content-Type");
          const byType = type === "audio/mpeg" ? ".mp3" : ".wav";
          const extension = has("names files mp3") ? ".mp3" : has("names files wav") ? ".wav" : byType;
          const inUrl = has("names files by their URL") ? extname(new URL(address).pathname) : "";
          const name = has("names files by their title")
            ? title
            : has("needs a title")
              ? (title?.trim() ?? null)
              : id;
          if (name === null) throw new Stop("no title");
          const path = join(outDirectory, `${name}${inUrl || extension}`);
          const bytes = has("does not check downloads")
            ? await response.arrayBuffer().catch(() => new ArrayBuffer(4))
            : await response.arrayBuffer();
          await writeFile(path, Buffer.from(bytes));
          return path;
        } catch (error) {
          if (error instanceof Stop || Reflect.get(Object(error), "code") === "ENOENT") throw error;
          await sleep(5);
        }
      }
      throw new Stop("no download");
    };

    const run = async () => {
      const taskId = await create();
      const clips = await wait(taskId);
      if (has("knows all fields") && clips.some((clip) => "mood" in clip)) throw new Stop("unknown field");
      if (has("needs two clips") && clips.length > 2) throw new Stop("three clips");
      const [clip] = clips;
      if (clip === undefined) {
        if (has("succeeds without a song")) return "";
        throw new Stop("no clips");
      }
      if (has("saves nothing")) return "";
      return download(taskId, clip).catch(async (error: unknown) => {
        if (!has("pays again for expired audio")) throw error;
        const another = await create();
        return download(another, (await wait(another))[0] ?? clip);
      });
    };

    const ended = { isStopped: false, stdout: "", stderr: "" };
    try {
      return { service, ended: { ...ended, status: 0, stdout: `${await run()}\n` } };
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      const stderr = has("is silent") ? "" : `${reason} ${has("prints its key") ? apiKey : ""}`;
      return { service, ended: { ...ended, status: 1, stderr } };
    }
  };
}

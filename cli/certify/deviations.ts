import { recordOf } from "../../src/contract/service.js";
import type { Deviation } from "./arrangement.js";
import { isRead } from "./judges.js";

type Data = Record<string, unknown>;

/** Changes the data of each read of a task. `count` is the number of the read, from 1. */
export function readsTask(change: (data: Data, count: number) => Data): () => Deviation {
  return () => {
    let count = 0;
    return async (request, next) => {
      const response = await next(request);
      if (!isRead(request) || response.status !== 200) return response;
      count++;
      const body = recordOf(await response.json());
      return withJson(response, { ...body, data: change(recordOf(body["data"]), count) });
    };
  };
}

/** Changes each clip of a finished task. `count` is the number of the read with clips, from 1. */
export function makesClips(change: (clip: Data, count: number) => Data): () => Deviation {
  return () => {
    let count = 0;
    return readsTask((data) => {
      const output = recordOf(data["output"]);
      const { result } = output;
      if (!Array.isArray(result)) return data;
      count++;
      return { ...data, output: { ...output, result: result.map((clip) => change(recordOf(clip), count)) } };
    })();
  };
}

function withJson(response: Response, body: unknown): Response {
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return new Response(JSON.stringify(body), { status: response.status, headers });
}

/** The page of a gateway that is not part of the service. */
export function gatewayPage(status: number): Response {
  const body = `<html><head><title>${status}</title></head><body><h1>${status}</h1>The gateway has no response.</body></html>`;
  return new Response(body, { status, headers: { "Content-Type": "text/html" } });
}

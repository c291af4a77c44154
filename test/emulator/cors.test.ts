import { describe, expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { DOORS } from "./support/doors.js";
import { BALANCE, clipsOf, createService, type Service, serviceOf, TASK, USAGE } from "./support/service.js";

const PAGE = { Origin: "https://app.example.com" };
/** What a browser asks before a request with these headers. */
const questionAbout = (headers: string) => ({
  ...PAGE,
  "Access-Control-Request-Method": "GET",
  "Access-Control-Request-Headers": headers,
});
const EXPOSED = ["Accept-Ranges", "Content-Length", "Content-Range", "Content-Type", "ETag"];

async function filesOf(service: Service) {
  const [stored] = await clipsOf(service);
  const [unstored] = await clipsOf(service, undefined, { storable: false });
  return {
    "audio of the service": stored.audio_url,
    "audio of the provider": unstored.audio_url,
    "cover art": stored.image_url,
    "large cover art": stored.image_large_url,
  };
}

describe.each(Object.entries(DOORS))("through %s", (_, enter) => {
  const open = async () => {
    const { emulator } = createService();
    return serviceOf(emulator, await enter(emulator));
  };

  test("scripts of every page can read files, whole and in part, and their errors", async () => {
    const service = await open();
    const files: Record<string, string> = await filesOf(service);
    for (const [name, url] of Object.entries(files)) {
      const isAudio = name.startsWith("audio");
      for (const [expected, path, method, more] of [
        [200, url, "GET", {}],
        [200, url, "HEAD", {}],
        [isAudio ? 206 : 200, url, "GET", { Range: "bytes=0-9" }],
        [isAudio ? 416 : 200, url, "GET", { Range: "bytes=999999999-" }],
        [404, `${url}x`, "GET", {}],
      ] as const) {
        const { status, headers } = await service.send(path, { method, headers: { ...PAGE, ...more } });
        expect([name, status, headers.get("Access-Control-Allow-Origin")]).toEqual([name, expected, "*"]);
        const exposed = headers.get("Access-Control-Expose-Headers")?.split(", ");
        expect(exposed).toEqual(expect.arrayContaining(EXPOSED));
      }
    }
  });

  test("a browser may send Range, and its question is neither logged nor met by a fault", async () => {
    const service = await open();
    const files = await filesOf(service);
    const logged = service.emulator.requests.length;
    service.fault(failWith(503), { path: "*" });
    for (const url of Object.values(files)) {
      const question = { method: "OPTIONS", headers: questionAbout("range,if-range") };
      const { status, headers } = await service.send(url, question);
      expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([204, "*"]);
      expect(headers.get("Access-Control-Allow-Methods")).toBe("GET, HEAD");
      expect(headers.get("Access-Control-Allow-Headers")).toBe("Range, If-Range");
      expect(headers.get("X-Request-Id")).not.toBeNull();
    }
    expect(service.emulator.requests).toHaveLength(logged);
    const [first = ""] = Object.values(files);
    const failed = await service.send(first, { headers: PAGE });
    expect([failed.status, failed.headers.get("Access-Control-Allow-Origin")]).toEqual([503, "*"]);
  });

  test("no page can read the API or the control plane", async () => {
    const service = await open();
    const taskId = await service.create();
    for (const path of [TASK, `${TASK}/${taskId}`, BALANCE, USAGE, "/nowhere", "/_emulator/state"])
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const init = { method, headers: questionAbout("x-api-key") };
        const { status, headers } = await service.send(path, init);
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
        if (method === "OPTIONS") expect([path, status]).toEqual([path, expect.toBeOneOf([403, 404, 405])]);
      }
  });
});

test("OPTIONS without a browser's question is a wrong method of a file", async () => {
  const service = createService();
  const [clip] = await clipsOf(service);
  const { status, headers } = await service.send(clip.audio_url, { method: "OPTIONS" });
  expect([status, headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
});

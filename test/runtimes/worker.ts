import type { Exception } from "./test-runner.js";
import { runTests } from "./web.js";

const NO_MP3: Exception = {
  reason: "workers compile no WebAssembly while they run, so the emulator can't make MP3 here",
  tests: ["audio > of provider_b is MP3", "audio > is MP3 where that was asked for"],
};

// biome-ignore lint/style/noDefaultExport: it is what makes a module a worker.
export default {
  fetch: async (): Promise<Response> => Response.json(await runTests([NO_MP3])),
};

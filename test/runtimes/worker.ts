import { runTests } from "./web.js";

// biome-ignore lint/style/noDefaultExport: it is what makes a module a worker.
export default {
  fetch: async (): Promise<Response> => Response.json(await runTests()),
};

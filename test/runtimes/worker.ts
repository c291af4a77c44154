import { runTests } from "./web.js";

export default {
  fetch: async (): Promise<Response> => Response.json(await runTests()),
};

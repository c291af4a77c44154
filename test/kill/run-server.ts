/** An agent server whose client is the test. It ends by a signal, or is killed. */

import { serveMcp } from "../../cli/mcp/server.js";
import { processTerminal } from "./process-terminal.js";

const [baseUrl = "", apiKey = "", journal = "", out = "", maxCredits = ""] = process.argv.slice(2);
const terminal = processTerminal({ env: { ASYNC_MUSIC_API_KEY: apiKey } });
await serveMcp({ baseUrl, journal, out, maxCredits: Number(maxCredits) }, "1.0.0", terminal);
process.exit();

/** An agent server whose client is the test. It ends by a signal, or is killed. */

import { serveMcp } from "../../cli/mcp/server.js";
import { ENDING_SIGNALS } from "../../cli/terminal.js";

const [baseUrl = "", apiKey = "", journal = "", out = "", maxCredits = ""] = process.argv.slice(2);
const outputTo = (stream: NodeJS.WriteStream) => ({
  isTerminal: false,
  columns: () => 80,
  write: (text: string) => void stream.write(text),
});

await serveMcp({ baseUrl, journal, out, maxCredits: Number(maxCredits) }, "1.0.0", {
  env: { ASYNC_MUSIC_API_KEY: apiKey },
  stdin: () => process.stdin,
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  onSignal(listener) {
    for (const signal of ENDING_SIGNALS) process.on(signal, listener);
    return () => {};
  },
});
process.exit();

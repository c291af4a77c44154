import type { Client } from "../../../cli/certify/client.js";
import { createTerminal } from "../../cli/support/terminal.js";

/** This SDK, as the command `async-music run` uses it: in this process, on the virtual clock of its service. */
export const sdkClient: Client = async (createService, outDirectory) => {
  const service = createService();
  const connection = () => ({ ...service.emulator.connection(), fetch: following(service.fetch) });
  const ended = await createTerminal({ connection }).song("--format", "mp3", "--out", `${outDirectory}/`);
  return { service, ended: { ...ended, isStopped: false } };
};

/** Follows redirects, as the `fetch` of the platform does. */
function following(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request.clone());
    const location = response.headers.get("Location");
    return location === null ? response : fetch(new Request(new URL(location, request.url), request));
  };
}

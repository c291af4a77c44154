import type { Client } from "../../../cli/certify/client.js";
import { createTerminal } from "../../cli/support/terminal.js";

/** This SDK, as the command `async-music run` uses it: in this process, on the virtual clock of its service. */
export const sdkClient: Client = async (createService, outDirectory) => {
  const service = createService();
  const connection = () => ({ ...service.emulator.connection(), fetch: service.fetch });
  const ended = await createTerminal({ connection }).song("--format", "mp3", "--out", `${outDirectory}/`);
  return { service, ended: { ...ended, isStopped: false } };
};

import { describe } from "vitest";
import { serve } from "../../emulator/node.js";
import { describeContract } from "../contract/describe-contract.js";
import { describeSavedAudio } from "../contract/suite/saved-audio.js";
import { openerFor } from "../contract/world.js";
import { runTests } from "./web.js";

// What a runtime that has Node's modules runs besides: the port, the runtime's own fetch, and files.

async function port(emulator: Parameters<typeof serve>[0]) {
  const { url, close } = await serve(emulator, { port: 0 });
  return { baseUrl: url, fetch: globalThis.fetch, clientFetch: undefined, close };
}

describeContract("a port", port);
describe("files", () => describeSavedAudio(openerFor(port)));

console.log(JSON.stringify(await runTests()));

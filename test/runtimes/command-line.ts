import { describe } from "vitest";
import type { Emulator } from "../../emulator/index.js";
import { serve } from "../../emulator/node.js";
import { describeContract } from "../contract/describe-contract.js";
import { describeSavedAudio } from "../contract/describe-contract-on-node.js";
import type { Connected } from "../contract/world.js";
import { openerFor } from "../contract/world.js";
import { describeNeverSent } from "../hostile/never-sent.js";
import { describeSentOnce } from "../hostile/sent-once.js";
import type { Exception } from "./test-runner.js";
import { runTests } from "./web.js";

// Further tests for a runtime with Node's modules: the port, the runtime's own fetch, and files.

/** Node's `fetch` sends each request once. */
const RESENT_READS: Exception = {
  reason: "this runtime's fetch repeats a read by itself if the connection breaks",
  tests: [
    "port > errors > ConnectionError: a read gets no response",
    "port > a wait > survives broken connections",
    "port > a wait > survives lost responses",
    "port > a wait > survives an outage of half an hour",
    "port > the rate limit > is never exceeded by",
    "port > audio > of provider_a is WAV",
  ],
};

const HANDSHAKES: Exception = {
  reason: "this runtime's fetch reports a failed handshake like a connection that breaks after the request",
  tests: ["a run > fails the handshake with"],
};

async function port(emulator: Emulator): Promise<Connected> {
  const { url, close } = await serve(emulator, { port: 0 });
  return { baseUrl: url, fetch: globalThis.fetch, clientFetch: undefined, close };
}

describeContract("a port", port);
describe("files", () => describeSavedAudio(openerFor(port)));
describeSentOnce();
describeNeverSent();

const isBun = "Bun" in globalThis;
const exceptions = isBun ? [RESENT_READS, HANDSHAKES] : "Deno" in globalThis ? [RESENT_READS] : [];
console.log(JSON.stringify(await runTests(exceptions)));

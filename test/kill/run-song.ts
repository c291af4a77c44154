/** A process that creates one song. It reports when it begins, and is killed at some point. */

import { AsyncMusic } from "../../src/index.js";
import { fileJournal } from "../../src/node/index.js";

const [baseUrl = "", apiKey = "", path = "", journalKey = ""] = process.argv.slice(2);
const client = new AsyncMusic({ baseUrl, apiKey });
const request = { model: "provider_b", task_type: "music", input: { prompt: journalKey } } as const;

// Keeps the process running until it is killed.
setTimeout(() => {}, 300_000);
process.stdout.write("begins\n");
client.tasks.run(request, { journal: fileJournal(path), journalKey }).catch(() => {});

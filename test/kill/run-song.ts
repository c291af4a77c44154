/** One life of a process that wants one song: it says when it begins, and is killed somewhere on the way. */

import { AsyncMusic } from "../../src/index.js";
import { fileJournal } from "../../src/node/index.js";

const [baseUrl = "", apiKey = "", path = "", journalKey = ""] = process.argv.slice(2);
const client = new AsyncMusic({ baseUrl, apiKey });
const request = { model: "provider_b", task_type: "music", input: { prompt: journalKey } } as const;

// It must not end by itself before it is killed, however late that is.
setTimeout(() => {}, 300_000);
process.stdout.write("begins\n");
client.tasks.run(request, { journal: fileJournal(path), journalKey }).catch(() => {});

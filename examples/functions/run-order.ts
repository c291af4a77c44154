/** One call of the function: reads the request's body from stdin, writes the status and the body of the response, and ends. */

import { text } from "node:stream/consumers";
import { AsyncMusic } from "async-music";
import { fileJournal } from "async-music/node";
import { orderSong } from "./order.ts";

// Functions on several machines share a journal in Redis or PostgreSQL instead.
const journal = fileJournal(process.env["SONGS_JOURNAL"] ?? "songs.journal");
const body = await text(process.stdin);
const request = new Request("http://localhost/songs", { method: "POST", body });
const response = await orderSong(new AsyncMusic(), journal, request);
process.stdout.write(`${response.status}\n${await response.text()}\n`);

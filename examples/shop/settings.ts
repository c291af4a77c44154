/** What both processes of the shop share: the database, the journal, and the budget of the customers. */

import { postgresBudget, postgresJournal } from "async-music/postgres";
import { Pool } from "pg";

/** The customers. A real shop has them in its database, and knows them by their sessions. */
export const TENANTS = ["acme", "bravo", "coral"];

/** The directory of the stored songs. */
export const songsDirectory = process.env["SONGS_DIRECTORY"] ?? "shop-songs";

export const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });
// Without these, a restart of the server ends the process.
const logError = (error: Error) => console.error(error.message);
pool.on("error", logError);
pool.on("connect", (connection) => connection.on("error", logError));

export const journal = postgresJournal(pool);

/** On the pool of the journal, so that an order and its reservation are written in one step. */
export const budget = postgresBudget(pool, { maxCredits: 40, per: "month", journal });

/** What a customer reads while a song may be charged. See docs/errors.md for the sentences after other errors. */
export const WORKING = "We are still working on your song. Do not order it again.";

/** An order of the shop. Its ID is its journal key. */
export interface Order {
  id: string;
  tenant: string;
  description: string;
  /**
   * `new`: not submitted yet; `unstored`: the song is charged, but not stored yet; `unknown`: a person must find out whether a
   * task exists.
   */
  state: "new" | "making" | "done" | "unstored" | "failed" | "refused" | "unknown";
  task_id: string | null;
  /** From 0 to 1. */
  progress: number;
  /** A sentence for the customer if there is no song to play: never the message of an error. */
  note: string | null;
  /** The keys of the audio in the directory. */
  audio: string[];
}

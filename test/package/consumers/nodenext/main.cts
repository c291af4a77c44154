import type * as esm from "async-music" with { "resolution-mode": "import" };
import {
  AsyncMusic,
  type ClientOptions,
  isMusic,
  type SucceededTask,
  type Task,
  TaskFailedError,
} from "async-music";
import type * as esmEmulator from "async-music/emulator" with { "resolution-mode": "import" };
import { createEmulator, type Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { serve } from "async-music/emulator/node";
import { saveAudio } from "async-music/node";
import { withOpenTelemetry } from "async-music/opentelemetry";
import { type PostgresJournal, postgresJournal } from "async-music/postgres";
import { type RedisPacerOptions, redisPacer } from "async-music/redis";

import required = require("async-music");

const emulator: Emulator = createEmulator();
const options: ClientOptions = emulator.connection();
export const client: AsyncMusic = new AsyncMusic(options);

// A value of this file is a value of an ES module's, and the other way round.
export const forModule = (own: AsyncMusic): esm.AsyncMusic => own;
export const fromModule = (other: esm.AsyncMusic): AsyncMusic => other;
export const emulatorForModule: esmEmulator.Emulator = emulator;

// A name that one kind of file exports as a value is a value for the other, too.
export const same: Record<keyof typeof esm, unknown> & Record<keyof typeof required, unknown> = required;
export const withSameTypes: typeof esm = required;

export class Refused extends TaskFailedError {}

export function taskOf(error: unknown): SucceededTask<"music"> | Task | null {
  if (!(error instanceof TaskFailedError)) return null;
  const { task } = error;
  return isMusic(task) ? task : null;
}

export const journal = (pool: Parameters<typeof postgresJournal>[0]): PostgresJournal =>
  postgresJournal(pool);
export const pacer = (client: Parameters<typeof redisPacer>[0], options: RedisPacerOptions) =>
  redisPacer(client, options);
export const functions = [emulatorHandlers, saveAudio, serve, withOpenTelemetry, required.creditsFor];

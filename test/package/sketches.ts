import { shownIn } from "./guides.js";

/** What a sketch of a guide leaves out: what it imports, and what it stands in. */
const SURROUNDINGS = `
import { AsyncMusic, type Journal } from "async-music";
import { redisJournal, redisPacer } from "async-music/redis";
import { Worker } from "bullmq";
import { Redis } from "ioredis";
import { inBullMq } from "../../examples/queues/bullmq.js";
import { type InngestErrors, inInngest } from "../../examples/queues/inngest.js";
import { fulfil, type Order } from "../../examples/queues/order.js";
import { type ApplicationFailures, inTemporal } from "../../examples/queues/temporal.js";

declare const url: string, client: AsyncMusic, journal: Journal, event: { data: Order };
declare const NonRetriableError: InngestErrors["NonRetriableError"];
declare const RetryAfterError: InngestErrors["RetryAfterError"];
declare const ApplicationFailure: ApplicationFailures;
declare const step: { run<Result>(id: string, work: () => Promise<Result>): Promise<Result> };
declare const Context: { current(): { cancellationSignal: AbortSignal; heartbeat(details: unknown): void } };
`;

/** The guides' code that is no whole program, as one that compiles: in a scope of its own it may say again what it stands in. */
export function sketches(): string[] {
  return shownIn("ts sketch").map(
    ({ code }) => `${SURROUNDINGS}\n{\n${code.replaceAll(/^export /gm, "")}\n}\nexport {};\n`,
  );
}

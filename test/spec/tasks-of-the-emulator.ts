import type { Outcome } from "../../emulator/index.js";
import { type EmulatedService, field } from "./emulated-service.js";
import { namesClip, SAMPLES, sampleOf } from "./tables/samples.js";
import type { OFFERS } from "./tables/service.js";
import type { TransitionRow } from "./tables/statuses.js";

/** The scripted outcome for every status, and the seconds after which a task has it. */
const WAYS: Readonly<Record<TransitionRow["from"], { outcome: Outcome; seconds: number }>> = {
  pending: { outcome: { queue_seconds: 10, process_seconds: 30 }, seconds: 1 },
  running: { outcome: { queue_seconds: 10, process_seconds: 30 }, seconds: 15 },
  success: { outcome: { process_seconds: 40 }, seconds: 40 },
  failure: { outcome: { outcome: "failure", process_seconds: 40 }, seconds: 40 },
  timeout: { outcome: { outcome: "hang", process_seconds: 40 }, seconds: 3601 },
};

export type Offer = (typeof OFFERS)[number];

/** Creates a task, and returns the response to its read once it has this status. */
export async function taskIn(status: TransitionRow["from"], service: EmulatedService, offer: Offer) {
  const body = await bodyFor(offer, service);
  const { outcome, seconds } = WAYS[status];
  service.emulator.providers[offer.model].next(outcome);
  const taskId = await submit(service, body);
  await service.emulator.clock.advance(seconds * 1000);
  return read(service, taskId);
}

export async function bodyFor(offer: Offer, service: EmulatedService): Promise<object> {
  return namesClip(offer.type) ? sampleOf(offer, await madeClip(service)) : sampleOf(offer);
}

/** The ID of a clip that can be continued and joined. Every service of a seed makes the same one. */
export async function madeClip(service: EmulatedService): Promise<unknown> {
  service.emulator.providers.provider_a.next({ process_seconds: 30 });
  const taskId = await submit(service, SAMPLES["provider_a music"]);
  await service.emulator.clock.advance(30_000);
  const clips = field(field((await read(service, taskId)).data, "output"), "result");
  return field(Array.isArray(clips) ? clips[0] : undefined, "id");
}

export async function submit(service: EmulatedService, body: unknown): Promise<string> {
  const { status, data } = await service.post(body);
  if (status !== 202) throw new Error(`Expected 202, got ${status}`);
  return String(field(data, "task_id"));
}

export function read(service: EmulatedService, taskId: string) {
  return service.get(`/api/v1/task/${taskId}`);
}

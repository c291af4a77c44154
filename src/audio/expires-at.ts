import { isFinalStatus, LIMITS } from "../contract/service.js";
import { dateAt, parseDate } from "../time/clock.js";

/**
 * When the audio of a task is gone: seven days after the task completed, by the service's clock, every `audio_url` of
 * its clips answers 404 for good (Limits). `null` as long as the task is not over, and where it has no `completed_at`.
 * Cover art, and audio that the service could not store, live by the provider's own schedule.
 *
 * @example
 * ```ts
 * const song = await client.tasks.wait(taskId);
 * console.log(`Download it before ${expiresAt(song)?.toISOString()}`);
 * ```
 */
export function expiresAt(task: { status: string; completed_at: string | null }): Date | null {
  const completedAt = isFinalStatus(task.status) ? parseDate(task.completed_at) : null;
  return completedAt === null ? null : dateAt(completedAt + LIMITS.audioLifetimeMs);
}

import type { Balance, Usage } from "./responses.js";
import type { Clip, ClipMetadata, Lyrics, Task, TaskOutput, TaskSubmission } from "./task.js";

/** An object of a response, which may have fields that this version of the SDK does not list. */
export type ResponseObject =
  | Task
  | TaskSubmission
  | TaskOutput
  | Clip
  | ClipMetadata
  | Lyrics
  | Balance
  | Usage;

/**
 * Returns a field that this version of the SDK does not list, such as one that a provider adds to its clips; `undefined` if it
 * is absent. Check the value before you use it: the interface does not list the field, and it may disappear without notice.
 *
 * @param from - an object of a response: a task, a submission, an output, a clip, its metadata, lyrics, a balance or a usage
 *
 * @example
 * ```ts
 * const [clip] = song.output.result;
 * const video = clip && extraField(clip, "video_url");
 * if (typeof video === "string") console.log(video);
 * ```
 */
export function extraField(from: ResponseObject, name: string): unknown {
  return Object.hasOwn(from, name) ? Reflect.get(from, name) : undefined;
}

/**
 * A clip as the service keeps it. Everything else that is said of a clip, and what it sounds like, follows from its
 * task.
 */
export interface StoredClip {
  id: string;
  /** What its sound comes from, besides the task's input. */
  seed: number;
  title: string;
  durationSeconds: number;
}

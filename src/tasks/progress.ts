import { AsyncMusicError } from "../errors/async-music-error.js";

/** How far a batch is. */
export interface RunAllProgress {
  /** How many requests there are; `null` where that shows only at their end. */
  total: number | null;
  /** How many have a task, over or not. */
  submitted: number;
  /** How many have a result. */
  succeeded: number;
  /** How many have come to none, submitted or not. */
  failed: number;
}

/** One request's part in the progress. */
interface Item {
  submitted(): void;
  succeeded(): void;
  failed(error: unknown): void;
}

/** Tells how far a batch is. A progress bar that breaks must cost nobody a song: that is said at the end. */
export interface Progress {
  begin(): Item;
  /** @throws AsyncMusicError when the callback has thrown. */
  end(): void;
}

export function createProgress(
  requests: object,
  onProgress: ((progress: RunAllProgress) => void) | undefined,
): Progress {
  const progress: RunAllProgress = { total: totalOf(requests), submitted: 0, succeeded: 0, failed: 0 };
  let thrown: { cause: unknown } | null = null;

  // `onProgress` may be `async` all the same: it is not waited for, and may reject.
  const tell = async () => {
    if (thrown !== null) return;
    try {
      await onProgress?.({ ...progress });
    } catch (cause) {
      thrown ??= { cause };
    }
  };

  return {
    begin() {
      let isSubmitted = false;
      const submit = () => {
        progress.submitted += isSubmitted ? 0 : 1;
        isSubmitted = true;
      };
      return {
        submitted() {
          submit();
          void tell();
        },
        succeeded() {
          submit();
          progress.succeeded++;
          void tell();
        },
        failed(error) {
          if (error instanceof AsyncMusicError && error.taskId !== null) submit();
          progress.failed++;
          void tell();
        },
      };
    },
    end() {
      if (thrown === null) return;
      throw new AsyncMusicError(
        "Failed to tell the progress: `onProgress` threw. All runs are over.",
        thrown,
      );
    },
  };
}

function totalOf(requests: object): number | null {
  if (Array.isArray(requests)) return requests.length;
  return requests instanceof Set ? requests.size : null;
}

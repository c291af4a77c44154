import { isFinalStatus } from "../../../src/contract/task.js";
import type { StoredTask } from "../task.js";

interface Watcher {
  status: string;
  resolve(): void;
  reject(reason: Error): void;
}

/** Who waits for tasks to reach a status. Nothing here moves a task: only who reads it does. */
export class Watchers {
  readonly #watchers = new Map<string, Watcher[]>();

  /** Resolves when the task has this status; rejects once it never can. */
  watch(task: StoredTask, status: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#watchers.get(task.id) ?? [];
      this.#watchers.set(task.id, [...waiting, { status, resolve, reject }]);
      this.tell(task);
    });
  }

  /** Tells who waits for it that a task has a status now. */
  tell(task: StoredTask): void {
    const waiting = this.#watchers.get(task.id);
    if (waiting === undefined) return;
    const left = waiting.filter(({ status, resolve, reject }) => {
      if (status === task.status) resolve();
      else if (isFinalStatus(task.status))
        reject(new Error(`Failed to see ${task.id} in \`${status}\`: it ended in \`${task.status}\``));
      else return true;
      return false;
    });
    if (left.length > 0) this.#watchers.set(task.id, left);
    else this.#watchers.delete(task.id);
  }

  /** Nothing will be told any more: whoever waits is told so. */
  close(reason: string): void {
    const waiting = [...this.#watchers.values()].flat();
    this.#watchers.clear();
    for (const { reject, status } of waiting)
      reject(new Error(`Failed to see a task in \`${status}\`: ${reason}`));
  }
}

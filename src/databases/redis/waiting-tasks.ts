/** The tasks that a process waits for. Those without a tenant have the name `""`. */
export class WaitingTasks {
  /** How many wait now, and the most since the last report: a task whose poll is in flight waits as well. */
  readonly #byTenant = new Map<string, { now: number; most: number }>();

  add(tenant = ""): void {
    const tasks = this.#byTenant.get(tenant) ?? { now: 0, most: 0 };
    this.#byTenant.set(tenant, tasks);
    tasks.most = Math.max(tasks.most, ++tasks.now);
  }

  remove(tenant = ""): void {
    const tasks = this.#byTenant.get(tenant);
    if (tasks !== undefined) tasks.now--;
  }

  /** Returns the most that waited since the last report, and begins a new one. */
  report(): Map<string, number> {
    const report = new Map<string, number>();
    for (const [tenant, tasks] of this.#byTenant) {
      if (tasks.most > 0) report.set(tenant, tasks.most);
      tasks.most = tasks.now;
      if (tasks.now === 0) this.#byTenant.delete(tenant);
    }
    return report;
  }
}

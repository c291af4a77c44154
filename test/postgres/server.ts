import type { TestProject } from "vitest/node";
import { Cluster } from "./cluster.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the server's socket; `null` if PostgreSQL is not installed. */
    postgresFolder: string | null;
  }
}

/** Starts PostgreSQL. If it is not installed, only its own tests fail: an error here would end all tests. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const cluster = await Cluster.create();
  project.provide("postgresFolder", cluster?.folder ?? null);
  return cluster === null ? undefined : () => cluster.remove();
}

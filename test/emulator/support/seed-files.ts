import { createEmulator, type EmulatorOptions } from "async-music/emulator";
import { controlled, serviceOf } from "./service.js";

/** A song in a seed file. */
export const seedSong = (fields: object = {}) => ({
  model: "provider_a",
  task_type: "music",
  input: { tags: "polka" },
  ...fields,
});

/** A seed file of one account. */
export const withAccount = (account: object) => ({ accounts: [account] });

/** A seed file of one account with these tasks. */
export const withTasks = (...tasks: object[]) => withAccount({ tasks });

/** A service that begins with a seed file, and the task of the file at a position, as a read shows it. */
export function createSeeded(seedFile: object, options: EmulatorOptions = {}) {
  const emulator = createEmulator({ seedFile, ...options });
  const service = controlled(serviceOf(emulator));
  const readAt = (index = 0) => service.read(emulator.state().tasks[index]?.task_id ?? "");
  return { ...service, readAt };
}

/** A service that begins with these tasks. */
export const createWithTasks = (...tasks: object[]) => createSeeded(withTasks(...tasks));

import type * as z from "zod/mini";
import { isoTime } from "../../time/clock.js";
import { findMistakes, InvalidValueError, invalidField } from "../checks.js";
import { type ParsedSeedTask, seedFileSchema } from "./schema.js";

type ParsedSeedFile = z.output<typeof seedFileSchema>;
type ParsedAccount = NonNullable<ParsedSeedFile["accounts"]>[number];
type ParsedKey = NonNullable<ParsedAccount["keys"]>[number];

/** The valid parts of a seed file: `null` stands for an account, a key or a task that is invalid by itself. */
export interface ReadSeedFile extends Omit<ParsedSeedFile, "accounts"> {
  accounts?: (ReadAccount | null)[];
}

export interface ReadAccount extends Omit<ParsedAccount, "keys" | "tasks"> {
  keys?: (ParsedKey | null)[];
  tasks?: (ParsedSeedTask | null)[];
  /** The clips that its invalid tasks would have made. */
  lostClips?: unknown[];
  /** Its credits are invalid. */
  hasInvalidCredits?: true;
}

/** Collects the mistakes of a seed file, so that all of them are reported at once. */
export class Mistakes {
  readonly #found: InvalidValueError[] = [];
  /** The path of each ID and key, which must be unique. */
  readonly #paths = new Map<string, string>();

  add(...mistakes: readonly InvalidValueError[]): void {
    this.#found.push(...mistakes);
  }

  /** Whether no other path has the ID or key: otherwise, it is a mistake. */
  claim(name: string, path: string): boolean {
    const other = this.#paths.get(name);
    if (other === undefined) this.#paths.set(name, path);
    else this.add(invalidField(path, ["must differ from ", { name: other }]));
    return other === undefined;
  }

  /** @throws InvalidValueError that lists every mistake */
  throwIfAny(): void {
    const [first] = this.#found;
    if (first === undefined) return;
    if (this.#found.length === 1) throw first;
    const lines = this.#found.flatMap(({ text }) => ["\n- ", text].flat());
    throw new InvalidValueError(
      [{ name: "seedFile" }, ` has ${this.#found.length} mistakes:`, ...lines],
      this.#found.flatMap(({ issues }) => issues),
    );
  }
}

/** A copy, so that later changes of the caller's object have no effect. An invalid file is reported when it is used. */
export function copySeedFile(value: object): object {
  return seedFileSchema.safeParse(value).success ? JSON.parse(JSON.stringify(value)) : value;
}

/**
 * The file for resets and forks of an emulator that started with it at this time. If a task has a fixed time, the file
 * keeps this start time, so that the task has the same age again on a real clock.
 */
export function keepStartTime(value: object, time: number): object {
  const { data } = seedFileSchema.safeParse(value);
  const hasFixedTask = data?.accounts?.some(({ tasks = [] }) =>
    tasks.some(({ created_at: at }) => at !== undefined),
  );
  return hasFixedTask ? { ...value, time: isoTime(time) } : value;
}

/** Reads what is valid, and adds what is not to the mistakes. */
export function readSeedFile(value: unknown, mistakes: Mistakes): ReadSeedFile {
  const parsed = seedFileSchema.safeParse(value);
  if (parsed.success) return JSON.parse(JSON.stringify(value));
  const { issues } = parsed.error;
  mistakes.add(...findMistakes("seedFile", value, issues));
  if (issues.some(({ path, code }) => path.length === 0 && code !== "unrecognized_keys"))
    mistakes.throwIfAny();
  return withoutInvalidParts(JSON.parse(JSON.stringify(value)), issues);
}

function withoutInvalidParts(file: ReadSeedFile, issues: readonly z.core.$ZodIssue[]): ReadSeedFile {
  for (const { path, code } of issues) {
    const [field, position, part, index] = path;
    const isAccount = field === "accounts" && typeof position === "number";
    const account = isAccount ? file.accounts?.[position] : undefined;
    if (field === undefined) continue;
    else if (!isAccount) Reflect.deleteProperty(file, field);
    else if (account === null || account === undefined) continue;
    else if (part === undefined) {
      if (code !== "unrecognized_keys" && file.accounts !== undefined) file.accounts[position] = null;
    } else if ((part === "tasks" || part === "keys") && typeof index === "number") {
      const lost = Object(account.tasks?.[index]).clip_ids;
      if (part === "tasks") account.lostClips = [...(account.lostClips ?? []), lost].flat();
      const list: unknown[] = account[part] ?? [];
      list[index] = null;
    } else {
      if (part === "tasks") account.lostClips ??= [];
      if (part === "credits") account.hasInvalidCredits = true;
      Reflect.deleteProperty(account, part);
    }
  }
  // Without the file's time, the age of a task with a fixed time is not known.
  if (!issues.some(({ path }) => path[0] === "time")) return file;
  for (const account of file.accounts ?? [])
    if (account?.tasks !== undefined)
      account.tasks = account.tasks.map((task) => (task?.created_at === undefined ? task : null));
  return file;
}

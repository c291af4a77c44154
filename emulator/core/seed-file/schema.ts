import * as z from "zod/mini";
import type { TaskType } from "../../../src/contract/service.js";
import {
  MODELS,
  type Model,
  TASK_STATUSES,
  TASK_TYPES,
  type TaskStatus,
} from "../../../src/contract/service.js";
import { isoTime, LATEST_TIME, parseIsoTime } from "../../time/clock.js";
import { keyNameSchema } from "../accounts.js";
import { flag, isoTimeSchema, list, NAMED, objectOf, oneOf, text, uuid } from "../checks.js";
import { type FaultRule, faultRuleSchema } from "../faults.js";
import { creditsSchema } from "../ledger.js";
import { policyChangesSchema } from "../policy.js";
import type { PolicyChanges } from "../policy-fields.js";
import { type Outcome, outcomeSchema, scriptSchema } from "../providers.js";
import { limitsChangesSchema } from "../rate-limit.js";

/**
 * The content of a seed file: accounts, tasks, outcomes and faults, written by hand. All fields are optional. The random
 * `seed` is not among them: it remains an option, and determines everything that the file leaves open.
 */
export interface SeedFile {
  /** The path of this JSON Schema. Only editors read it. */
  $schema?: string | undefined;
  /**
   * The emulator's time at the start and after a reset: ISO 8601, in UTC. @defaultValue 2026-01-01T00:00:00Z; with a real
   * clock, the system's time; a reset returns to the time of the start if a task has `created_at`
   */
  time?: string | undefined;
  /** The accounts. The first one is the emulator's own: its first key is `emulator.apiKey`. @defaultValue one with 1000 credits */
  accounts?: readonly SeedAccount[] | undefined;
  /** The outcomes of later tasks of all accounts, by provider. */
  outcomes?: SeedOutcomes | undefined;
  /** Faults of later requests of all accounts. Those of an account come first; of those that match, only the first fires. */
  faults?: readonly SeedFault[] | undefined;
  /**
   * Behavior that the interface does not decide. It applies to the tasks of the file. For later requests, the `policy` of
   * `createEmulator` takes precedence.
   */
  policy?: PolicyChanges | undefined;
  /** The rate limit of every key. The `limits` of `createEmulator` take precedence. */
  limits?: SeedLimits | undefined;
}

/** The outcomes of later tasks, by provider. */
export type SeedOutcomes = { readonly [Name in Model]?: SeedScript | undefined };

/** A fault and the requests it applies to. */
export type SeedFault = Omit<FaultRule, "account_id">;

/** The outcomes of one provider's tasks. */
export interface SeedScript {
  /** The outcomes of the next tasks, one each. */
  next?: readonly Outcome[] | undefined;
  /** The outcome of every other task. @defaultValue null, for none */
  always?: Outcome | null | undefined;
}

/** The rate limit of every key. */
export interface SeedLimits {
  /** Requests in one window, at least 1. @defaultValue 120 */
  requests?: number | undefined;
  /** The length of a window, in seconds. @defaultValue 60 */
  window_seconds?: number | undefined;
}

/** One account. */
export interface SeedAccount {
  /** A UUID, in any case. @defaultValue one from the seed */
  account_id?: string | undefined;
  /** Its API keys. @defaultValue one from the seed */
  keys?: readonly SeedKey[] | undefined;
  /**
   * The credits that the account can spend: `available` of its balance. What its tasks have cost, and what is frozen for
   * unfinished ones, was topped up in addition. @defaultValue 1000
   */
  credits?: number | undefined;
  /** Whether the account is suspended: it cannot create tasks (403). @defaultValue false */
  suspended?: boolean | undefined;
  /** The outcomes of its later tasks, by provider, instead of those for all accounts. */
  outcomes?: SeedOutcomes | undefined;
  /** Faults of its later requests. */
  faults?: readonly SeedFault[] | undefined;
  /** Behavior that the interface does not decide, if it differs for this account. */
  policy?: PolicyChanges | undefined;
  /** The rate limit of its keys. @defaultValue that of every key */
  limits?: SeedLimits | undefined;
  /** Its tasks, in any order. */
  tasks?: readonly SeedTask[] | undefined;
}

/** One API key. */
export interface SeedKey {
  /** The value of the key. It must begin with `emu_`. */
  key: string;
  /** What the dashboard calls it: at most 100 characters. @defaultValue "" */
  name?: string | undefined;
  /** Whether requests with it get 401. @defaultValue false */
  disabled?: boolean | undefined;
}

/** One task: the fields of its request, its status, and what belongs to this status. */
export interface SeedTask {
  /** A UUID, in any case. @defaultValue one from the seed */
  task_id?: string | undefined;
  /** The model, as in a request. */
  model: Model;
  /** The type, as in a request. */
  task_type: TaskType;
  /** The input, as in a request. A clip that it names must be of an earlier task of the account. */
  input: Readonly<Record<string, unknown>>;
  /** The requested format: `"mp3"`, or `null` if the request had none. @defaultValue null */
  audio_format?: "mp3" | null | undefined;
  /** The status. A task changes it only when a client reads the task, or after an hour. */
  status: TaskStatus;
  /** When it was created: ISO 8601, in UTC, not after the emulator's time. Instead of `created_ago`. */
  created_at?: string | undefined;
  /**
   * How long ago it was created, such as `90s`, `10m`, `2h` or `8d`. An `audio_url` expires 7 days after its task completed.
   * @defaultValue `0s` for unfinished tasks; finished ones are created an hour apart in their order, the last `2h` ago
   */
  created_ago?: string | undefined;
  /**
   * How an unfinished task will end, and when, counted from its creation. @defaultValue a success; without durations, the
   * task keeps its status for as long as a new one
   */
  outcome?: Outcome | undefined;
  /** How long a success or failure took, in seconds, at most 3600. @defaultValue from the seed */
  process_seconds?: number | undefined;
  /** The number of clips of a success, 0 to 20. @defaultValue 2 for music of `provider_a`, 1 for music of `provider_b` */
  clips?: number | undefined;
  /** The IDs of the clips of a success, instead of `clips`: letters, digits, `_` and `-`; their case counts. @defaultValue from the seed */
  clip_ids?: readonly string[] | undefined;
  /** The provider's own format of a success. @defaultValue "wav" for `provider_a`, "mp3" for `provider_b` */
  format?: Outcome["format"];
  /** Whether the service stores the audio of a success; if not, `audio_url` points at the provider. @defaultValue true */
  storable?: boolean | undefined;
  /** URLs that each clip of a success carries as `alternate_urls`. */
  alternate_urls?: readonly string[] | undefined;
  /** The reason of a failure, for people. */
  error?: string | undefined;
  /** The error code of a failure. The policy decides that of a timeout. @defaultValue "upstream_provider_error" */
  error_code?: Outcome["error_code"];
  /** Whether resending the failed request can succeed. @defaultValue `false` for `content_moderation` and `invalid_task_input`, else `true` */
  retryable?: boolean | undefined;
  /** The wait that the provider states after a failure, in whole seconds. @defaultValue null */
  retry_after_seconds?: number | null | undefined;
}

/** The fields that belong to some statuses only. */
export const FIELDS_OF_STATUS: readonly { statuses: readonly TaskStatus[]; fields: readonly string[] }[] = [
  { statuses: ["pending", "running"], fields: ["outcome"] },
  { statuses: ["success", "failure"], fields: ["process_seconds"] },
  { statuses: ["success"], fields: ["clips", "clip_ids", "format", "storable", "alternate_urls"] },
  { statuses: ["failure"], fields: ["error", "error_code", "retryable", "retry_after_seconds"] },
];

const AGO = /^\d{1,9}(\.\d+)?[smhd]$/;
const MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration of a seed file in milliseconds. */
export function parseAgo(ago: string): number {
  return Math.round(Number(ago.slice(0, -1)) * (MS[ago.slice(-1)] ?? Number.NaN));
}

const clipIdRule = "be 1 to 100 letters, digits, _ or -";
const clipId = z.string(clipIdRule).check(z.regex(/^[\w-]{1,100}$/, clipIdRule));
const agoRule = "be a duration such as 90s, 10m, 2h or 8d";
/** How a task has ended. Its other fields say how one will end. */
const { outcome: _outcome, queue_seconds: _queue, polls: _polls, ...endFields } = outcomeSchema.shape;

export const seedTaskSchema = objectOf({
  task_id: z.optional(uuid),
  model: oneOf(...MODELS),
  task_type: oneOf(...TASK_TYPES),
  input: z.record(z.string(), z.unknown(), "be an object"),
  audio_format: z.optional(z.nullable(z.literal("mp3", "be mp3 or null"))),
  status: oneOf(...TASK_STATUSES),
  created_at: z.optional(isoTimeSchema),
  created_ago: z.optional(z.string(agoRule).check(z.regex(AGO, agoRule))),
  outcome: z.optional(outcomeSchema),
  ...endFields,
  clip_ids: z.optional(list(clipId).check(z.maxLength(20, "have at most 20 IDs"))),
}).check(({ value, issues }) => {
  const refuse = (name: string, message: string) =>
    issues.push({ code: "custom", path: [name], input: value, message });
  for (const { statuses, fields } of FIELDS_OF_STATUS)
    for (const name of statuses.includes(value.status) ? [] : fields)
      if (Reflect.get(value, name) !== undefined)
        refuse(name, `be omitted unless \`status\` is ${statuses.join(" or ")}`);
  if (value.created_ago !== undefined && value.created_at !== undefined)
    refuse("created_ago", "be omitted if `created_at` is set");
  if (value.clips !== undefined && value.clip_ids !== undefined)
    refuse("clips", "be omitted if `clip_ids` is set");
});

/** The pattern of its value is checked when the state is built, since messages of a schema show the value. */
export const keyValueSchema = z.string("be a string");

const scripts = z.partial(scriptSchema);
const { account_id: _, ...faultFields } = faultRuleSchema.shape;
const seedFaultSchema = objectOf(faultFields).register(NAMED, { id: "SeedFault" });

/** For all accounts, or for one. */
const scoped = {
  outcomes: z.optional(objectOf({ provider_a: z.optional(scripts), provider_b: z.optional(scripts) })),
  faults: z.optional(list(seedFaultSchema)),
  policy: z.optional(policyChangesSchema),
  limits: z.optional(limitsChangesSchema),
};

const seededAccountSchema = objectOf({
  account_id: z.optional(uuid),
  keys: z.optional(
    list(
      objectOf({ key: keyValueSchema, name: z.optional(keyNameSchema), disabled: z.optional(flag) }),
    ).check(z.minLength(1, "have at least one API key, or be omitted")),
  ),
  credits: z.optional(creditsSchema),
  suspended: z.optional(flag),
  ...scoped,
  tasks: z.optional(list(seedTaskSchema)),
});

const timeRule = `be an ISO 8601 time in UTC, from 1970-01-01T00:00:00Z to ${isoTime(LATEST_TIME)}`;
const timeSchema = z.iso
  .datetime(timeRule)
  .check(z.refine((at) => parseIsoTime(at) >= 0 && parseIsoTime(at) <= LATEST_TIME, timeRule));

export type ParsedSeedTask = z.output<typeof seedTaskSchema>;
export const seedFileSchema = objectOf({
  $schema: z.optional(text),
  time: z.optional(timeSchema),
  accounts: z.optional(
    list(seededAccountSchema).check(z.minLength(1, "have at least one account, or be omitted")),
  ),
  ...scoped,
});

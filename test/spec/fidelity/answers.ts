import { section } from "./section.js";

const FIELDS = "spec/tasks: $what in $status has exactly the documented fields";
const BODIES = "spec/endpoints: $method $path answers $success with exactly the documented data";
const ACCEPTED = "spec/requests: the emulator accepts what the interface allows, for its price";
const RESULTS = "spec/tasks: $type by $model that succeeded has a result of its type";
const ENDINGS = "spec/transitions: $from, $trigger: $to, credits $credits";

export const ANSWERS = [
  section(
    "Task submission data",
    ["row task_id", "a UUID", ACCEPTED],
    ["row type", "the task type", ACCEPTED],
    ["row status", "pending", ACCEPTED],
    ["row credits_charged", "what is frozen", ACCEPTED],
    ["row created_at", "a time", ACCEPTED],
    ["row audio_format", "the echo, or null", ACCEPTED],
  ),
  section(
    "Task",
    [
      "row task_id",
      "required UUID",
      FIELDS,
      "sdk/lenient-reading: a task without %s is an InvalidResponseError",
    ],
    [
      "row model",
      "required, one of two",
      FIELDS,
      "sdk/lenient-reading: a task without %s is an InvalidResponseError",
    ],
    [
      "row type",
      "required, one of four",
      FIELDS,
      "sdk/lenient-reading: a task without %s is an InvalidResponseError",
    ],
    [
      "row status",
      "required, one of five",
      FIELDS,
      "sdk/lenient-reading: a task without %s is an InvalidResponseError",
    ],
    [
      "row credits_cost",
      "required, what it costs",
      ACCEPTED,
      "contract/suite/credits: come back when a task fails by %s, with all that the service said",
    ],
    [
      "row input",
      "the input as it came",
      ACCEPTED,
      "emulator/http: the input is echoed as it came, whatever its names are",
    ],
    ["row audio_format", "as when it was created", ACCEPTED],
    ["row output", "an object or null", FIELDS],
    ["row error", "prose, at a bad end", FIELDS, "sdk/wait-endings: does not show its prompt in the message"],
    [
      "row error_code",
      "one of four, at a bad end",
      FIELDS,
      "contract/suite/credits: come back when a task fails by %s, with all that the service said",
      "policy: timeout_error_code",
    ],
    [
      "row retryable",
      "whether it may be sent again",
      FIELDS,
      "emulator/outcomes: a failure with %s has a reason, and retryable is %s unless it is said",
      "policy: timeout_retryable",
    ],
    [
      "row retry_after_seconds",
      "a wait that was stated, else null",
      "spec/tasks: says the wait of %s s that the provider stated",
    ],
    ["row created_at", "a time or null", FIELDS],
    [
      "row completed_at",
      "null until the end",
      FIELDS,
      "spec/tasks: is older when it was completed than when it was created, by what the provider took",
    ],
  ),
  section(
    "Output wrapper",
    ["row task_type", "the task type", FIELDS],
    ["row status", "the provider's own status", FIELDS],
    [
      "row progress",
      "text or null",
      FIELDS,
      "contract/suite/tasks: are seen pending, then running and getting on, then succeeded, and never back",
    ],
    ["row fail_reason", "text or null", FIELDS],
    ["row result", "clips, lyrics or null", RESULTS],
    [1, "filled on success", RESULTS],
    [2, "no result before, or after a failure", FIELDS],
  ),
  section(
    "Clip",
    ["row id", "good for more tasks", "contract/suite/chains: are continued, and the whole is joined"],
    [
      "row audio_url",
      "seven days, then 404",
      "emulator/audio-serving: end to the millisecond, and for ever",
      "contract/suite/audio: of provider_b is MP3, is read in parts, and is gone after seven days, but its cover is not",
    ],
    ["row image_url", "cover art, outside those days", "emulator/audio-serving: do not end cover art"],
    ["row title", "of music", RESULTS],
    [
      "row metadata",
      "duration, tags, prompt and more",
      RESULTS,
      "emulator/audio-serving: a song lasts as long as its metadata says",
    ],
    [
      1,
      "uploads and joined songs have two fields",
      "emulator/task-life: %s has clips with an id and an audio_url, and nothing else",
    ],
    [
      2,
      "there may be more fields",
      "sdk/lenient-reading: of a task, its output, its clips and their metadata",
    ],
    [
      3,
      "which pass through, or vanish",
      "sdk/lenient-reading: clips need an id and an address, and nothing else",
    ],
    [
      4,
      "alternates at a provider are removed",
      "spec/audio: that lead to a provider are removed from a clip that the service stored",
    ],
    [5, "the last of them with its field", "spec/audio: vanish with their field where none is left"],
    [
      6,
      "unstored clips keep them",
      "spec/audio: pass through unchanged on a clip that the service could not store, which is at the provider's",
    ],
    [
      7,
      "which end when the provider likes",
      "emulator/audio-serving: is served by the provider, with its alternate URLs unchanged",
    ],
  ),
  section(
    "Lyrics result",
    ["row title", "text", RESULTS, "emulator/task-life: lyrics have a title and a text with structure tags"],
    [
      "row text",
      "text with tags for the parts",
      "emulator/task-life: lyrics have a title and a text with structure tags",
    ],
  ),
  section(
    "Balance",
    [
      "row available",
      "what can be spent",
      BODIES,
      "contract/suite/credits: are available before, frozen during and spent after a task",
    ],
    [
      "row frozen",
      "what is held",
      BODIES,
      "contract/suite/credits: are available before, frozen during and spent after a task",
    ],
    [
      "row total",
      "both",
      "emulator/ledger: whatever happens, the money adds up: every hold ends once at most, and nothing is lost",
    ],
  ),
  section(
    "Usage",
    [
      "row tasks_created",
      "all tasks",
      "contract/suite/credits: come back when a task fails by %s, with all that the service said",
    ],
    [
      "row credits_used",
      "all costs, refunded ones too",
      "contract/suite/credits: come back when a task fails by %s, with all that the service said",
    ],
    [
      "row credits_topped_up",
      "all top-ups",
      "contract/suite/credits: are available before, frozen during and spent after a task",
      "contract/suite/accounts: see their own tasks and credits only",
    ],
  ),
  section(
    "Error body",
    [1, "it is told under Errors", "document"],
    [
      2,
      "records of keys and payments are left open",
      "emulator/control: an account and its keys are made, changed and deleted",
      "emulator/top-ups: payments are listed, oldest first, with their records",
    ],
  ),
  section(
    "States and transitions",
    [1, "five statuses", "spec/contract-constants: has every status, and knows which are final"],
    [
      2,
      "three of them final",
      "spec/contract-constants: has every status, and knows which are final",
      ENDINGS,
    ],
    ["row POST accepted", "a valid, paid and allowed request is pending", ACCEPTED],
    [
      "row read",
      "the provider's report, and what it does to the credits",
      ENDINGS,
      "emulator/task-life: a thousand reads at once settle once",
    ],
    [
      "row age",
      "older than an hour is a timeout",
      ENDINGS,
      "emulator/task-life: exactly an hour is not yet a timeout, and a millisecond more is",
      "policy: late_success",
    ],
    [
      3,
      "what makes a task running is left open",
      "emulator/task-life: policy running_after: a first read makes a waiting task running, or the provider's work does",
      "policy: running_after",
    ],
    [4, "pending waits", "emulator/task-life: a song waits, is worked on, and is there"],
    [5, "running is worked on", "emulator/task-life: a song waits, is worked on, and is there"],
    [6, "success has output", RESULTS],
    [7, "failure refunds", ENDINGS],
    [8, "timeout refunds", ENDINGS],
  ),
];

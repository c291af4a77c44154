import { section } from "./section.js";

const ENVELOPE = "spec/tables/requests/envelope";
const STATUSES = "spec/endpoints: $method $path can answer $status, with the error body";
const UNKNOWN_OUTCOME = "contract/suite/faults: is sent once: %s";

export const ERRORS = [
  section(
    "Errors",
    [1, "the error body", STATUSES],
    ["row code", "the status again", STATUSES],
    ["row error_code", "what programs branch on", "spec/error-classes: $status $code: $read of a read"],
    ["row message", "what people read", STATUSES],
    [
      "row retry_after_seconds",
      "only on a 429",
      "spec/endpoints: says the wait twice on a 429, rounded up, and nowhere else",
    ],
    ["row invalid_json", "no JSON", "spec/tables/raw-bodies: half of a body"],
    ["row invalid_request_body", "no request", `${ENVELOPE}: a list`, "spec/tables/raw-bodies: plain text"],
    [
      "row missing_required_fields",
      "a field is missing",
      `${ENVELOPE}: no model`,
      `${ENVELOPE}: no task type`,
      `${ENVELOPE}: no input`,
    ],
    ["row invalid_model", "no such model", `${ENVELOPE}: a model of a later day`],
    [
      "row unsupported_task_type",
      "unknown, or not this model's",
      `${ENVELOPE}: an unknown task type`,
      `${ENVELOPE}: lyrics by provider_b`,
    ],
    [
      "row invalid_task_input",
      "wrong for model and type",
      "spec/tables/requests/custom: nothing",
      "spec/tables/requests/provider-b: a description of provider_a",
    ],
    [
      "row invalid_audio_format",
      "anything but mp3",
      "spec/tables/requests/audio-format: wav",
      "policy: invalid_audio_format_status",
    ],
    [
      "row audio_format_unavailable",
      "conversion is off",
      "spec/tables/policies: conversion switched off, when mp3 is asked for",
      "policy: audio_format_unavailable_status",
    ],
    [
      "row missing_api_key",
      "no key",
      "contract/suite/accounts: are told apart by nothing but the key: without one there is a 401 without a count",
    ],
    [
      "row invalid_api_key",
      "a bad key",
      "contract/suite/errors: AuthenticationError: a key that the service does not know, on every call and at once",
    ],
    [
      "row insufficient_credits",
      "too few credits",
      "spec/transitions: $type by $model is refused with one credit too few, and passes with just enough",
    ],
    [
      "row account_suspended",
      "no tasks for this account",
      "contract/suite/accounts: that are suspended create nothing, but everything else goes on",
    ],
    [
      "row task_not_found",
      "unknown, or another's",
      "emulator/accounts: a task of another account is not found, in the same words as one that never was",
    ],
    [
      "row rate_limited",
      "too many requests",
      "contract/suite/rate-limit: lets exactly 120 of a burst pass, and says the wait of the others in both forms",
    ],
    ["row internal_error", "the service broke", STATUSES],
    [
      "row upstream_provider_error",
      "the provider broke",
      "emulator/outcomes: a provider that rejects is a 502 that leaves nothing behind",
    ],
    [
      2,
      "two statuses are left open",
      "spec/policies: the emulator, with $name: $status",
      "policy: invalid_audio_format_status",
      "policy: audio_format_unavailable_status",
    ],
    [
      3,
      "so is the order of errors",
      "spec/order-of-errors: lets the errors of one request win in the fixed order, as one after the other is put right",
    ],
    [
      4,
      "a 429 says its wait twice",
      "spec/endpoints: says the wait twice on a 429, rounded up, and nowhere else",
    ],
    [5, "a failed task is a 200", "contract/suite/tasks: that failed are read and watched without an error"],
    [
      6,
      "with all that says why",
      "contract/suite/credits: come back when a task fails by %s, with all that the service said",
    ],
    [7, "and its credits come back", "emulator/task-life: a failure refunds them, and says why it failed"],
    [8, "the classes of failure", "spec/contract-constants: has the error codes of tasks"],
    [
      9,
      "what is not retryable is not sent again",
      "emulator/audit: is the same payload after the client was told that it can never succeed",
    ],
    [
      10,
      "reads may be sent again, with backoff",
      "contract/suite/faults: is sent again when the connection breaks or the service fails, under one name",
      "sdk/read-retries: with the longest jitter attempts are 0.5, 1, 2, 4 and then 8 s apart",
    ],
    [
      11,
      "a create's outcome can be unknown",
      UNKNOWN_OUTCOME,
      "spec/error-classes: $status $code: $post of a POST",
    ],
    [12, "and is then not sent again", UNKNOWN_OUTCOME],
    [
      13,
      "a limited create may be, after the wait",
      "contract/suite/faults: is sent again after a 429, once the stated wait is over, and creates one task",
    ],
  ),
];

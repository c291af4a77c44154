import type { Shown } from "./section.js";

/** What the emulator does in one fixed way where the interface is silent: topic, what it does, and the tests of it. */
export type FixedDetail = readonly [topic: string, does: string, ...shownBy: readonly [Shown, ...Shown[]]];

export const FIXED: readonly FixedDetail[] = [
  [
    "Order of errors",
    "Unknown path, method, authentication, rate limit, suspension, content type and size, JSON, body shape, required fields, model, task type, audio format, input, credits.",
    "spec/order-of-errors: lets the errors of one request win in the fixed order, as one after the other is put right",
  ],
  [
    "Paths",
    "An unknown path is 404 `not_found`, a wrong method 405 `method_not_allowed` with `Allow`. A task id that is no UUID is `task_not_found`.",
    "spec/endpoints: GET %s is 404 not_found",
    "spec/endpoints: %s %s is 405, and names %s",
    "spec/endpoints: a task id of %s is not found",
  ],
  [
    "Bodies",
    "Exactly 1 MiB passes; more, another content type and nesting that is too deep are 400 `invalid_request_body`.",
    "emulator/http: a body of exactly 1 MiB passes, and one of a byte more does not",
    "emulator/http: a body that is nested too deeply is a 400: %s",
    "emulator/http: a body of the type %s is answered with %i",
  ],
  [
    "Request ids",
    "Safe are 1 to 128 of `A-Z a-z 0-9 . _ : -`; any other is replaced.",
    "spec/endpoints: the emulator propagates $name: $safe",
  ],
  [
    "Rate limit",
    "A 401 and a 429 do not count. The count stands on every answer to a valid key, 119 on the first. The stated wait is rounded up.",
    "emulator/rate-limit: neither a 401 nor a 429 counts against a window",
    "spec/endpoints: leaves 119 after the first request, and a 401 does not count",
    "emulator/rate-limit: a stated wait is long enough, to the second",
  ],
  [
    "Fields",
    "What a mode ignores is not validated. Another task type's fields of the same model are extras. The clip's title is converted, the echoed one is not.",
    "spec/tables/requests/inspiration: ignored lyrics of another type",
    "spec/tables/requests/other-tasks: fields of music are extras",
    "spec/tasks: that are %s stand on the clip as text, and in the input as they came",
  ],
  [
    "Upload addresses",
    "Only public unicast addresses and public names, in whatever notation.",
    "sdk/rules/upload-address: an upload from %j is refused",
    "sdk/rules/upload-address: an upload from %j is allowed",
  ],
  [
    "Settling",
    "Only a read settles a task or refunds a failure; the hour is applied at every look, and exactly an hour is not yet a timeout. Reads at once settle once.",
    "spec/transitions: keeps frozen what finished within the hour, until it is read",
    "emulator/task-life: a look at %s applies it to tasks that nobody reads",
    "emulator/task-life: a thousand reads at once settle once",
  ],
  [
    "Clips",
    "They belong to the account. An unknown and a foreign clip id are accepted, and the task fails for good, in the same words.",
    "contract/suite/chains: of another account are as good as none, in the same words",
    "contract/suite/chains: belong to the account, whichever of its keys is used",
  ],
  [
    "Top-ups",
    "Completed at once unless refused or pending on demand. The card of the last completed one is the saved card.",
    "emulator/top-ups: a top-up by %s is completed at once: one credit for each cent",
    "emulator/top-ups: brings its credits when it is completed, once",
    "emulator/top-ups: the card of the last completed card top-up is the saved card",
  ],
  [
    "Automatic top-up",
    "Charges when a freeze leaves less than the threshold, until the month's cap; a refused charge pauses it for an hour. Switching off needs no authorization, and a refused change uses none up.",
    "emulator/auto-top-up: it charges as soon as a freeze leaves less than the threshold, and not before",
    "emulator/auto-top-up: brings nothing, and pauses for exactly an hour",
    "emulator/auto-top-up: is not used up by a change that is refused",
  ],
  [
    "Billing",
    "A field of blanks is missing. An unknown invoice is a 404 once billing is complete.",
    "emulator/invoices: a missing %s is refused, and so are blanks",
    "emulator/invoices: an unknown invoice, and another account's, is a 404 once billing is complete",
  ],
  [
    "Audio",
    "A range that can't be is 416. Audio needs no key and does not count against the limit.",
    "emulator/audio-serving: that there are not are a 416 that says how long the file is",
    "emulator/audio-serving: audio needs no key, and does not count against the limit of one that is sent",
  ],
  [
    "Joined songs",
    "A song that is joined from a chain of continuations is six minutes long at most: of a longer one the beginning is left out.",
    "emulator/long-chain: is a song of its last six minutes, made once for concurrent reads",
  ],
];

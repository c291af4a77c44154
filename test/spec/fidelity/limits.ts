import { section } from "./section.js";

const PRICES = "spec/transitions: $type by $model: $credits credits are frozen, then $end";

export const LIMITS = [
  section(
    "Limits",
    [
      "row Rate limit",
      "120 in 60 seconds for each key",
      "emulator/rate-limit: a window lets 120 requests pass and says how many are left",
      "emulator/rate-limit: every key has a window of its own",
      "policy: rate_limit_window",
    ],
    [
      "row Task timeout",
      "an hour",
      "emulator/task-life: exactly an hour is not yet a timeout, and a millisecond more is",
    ],
    [
      "row Task duration",
      "half a minute to five",
      "emulator/task-life: %s succeeds within its usual time",
      "emulator/task-life: songs take different times, most of them around a minute and a half",
    ],
    [
      "row Polling",
      "every 5 to 10 seconds, never under 1",
      "sdk/wait: with chance %d no poll comes in the first 5 seconds, and every gap is the shortest",
      "emulator/audit: is a read of an open task less than a second after the last",
    ],
    [
      "row Audio lifetime",
      "seven days, then never again",
      "emulator/audio-serving: end to the millisecond, and for ever",
      "emulator/audio-serving: begin when the provider finished, and not when somebody looked",
    ],
    [
      "row X-Request-Id length",
      "1 to 128",
      "spec/tables/endpoints: 128 characters",
      "spec/tables/endpoints: 129 characters",
    ],
    ["row Credit costs", "told elsewhere", PRICES],
    [
      1,
      "the automatic top-up is off at first",
      "emulator/auto-top-up: it is off by default, and charges nothing",
    ],
    [
      2,
      "it takes a saved card",
      "emulator/auto-top-up: without a saved card it can't be enabled: a transfer saves none",
      "emulator/top-ups: the card of the last completed card top-up is the saved card",
    ],
    [
      3,
      "its threshold",
      "emulator/auto-top-up: %j is within",
      "emulator/auto-top-up: %j is not, and changes nothing",
    ],
    [
      4,
      "its amount",
      "emulator/auto-top-up: %j is within",
      "emulator/auto-top-up: %j is not, and changes nothing",
    ],
    [
      5,
      "its monthly cap",
      "emulator/auto-top-up: %j is within",
      "emulator/auto-top-up: %j is not, and changes nothing",
      "emulator/auto-top-up: it goes on until the month's cap, and again in the next month",
      "emulator/auto-top-up: a month can also be the last 30 days",
      "policy: auto_top_up_month",
    ],
    [
      6,
      "a change needs a new authorization",
      "emulator/auto-top-up: is fresh, the account's own, and good once",
      "emulator/auto-top-up: is needed anew for a change of %j",
    ],
    [7, "it may pause", "emulator/auto-top-up: brings nothing, and pauses for exactly an hour"],
    [8, "what billing needs", "emulator/invoices: a missing %s is refused, and so are blanks"],
    [
      9,
      "what billing may have",
      "emulator/invoices: billing information is saved whole, and optional fields may be left out",
    ],
    [
      10,
      "invoices are for paid purchases, once billing is known",
      "emulator/invoices: there is one invoice for each completed paid purchase, and none for anything else",
      "emulator/invoices: until billing is complete, the list, an invoice and an unknown one are all a 409",
      "emulator/invoices: an invoice is a PDF, the same bytes each time",
    ],
    [
      11,
      "sizes and open tasks have limits that are left open",
      "emulator/http: a body of exactly 1 MiB passes, and one of a byte more does not",
      "spec/promises: texts may be long: the whole of what a body holds",
      "spec/promises: as many tasks as there are credits for may be open at once",
    ],
  ),
  section(
    "Versioning",
    [1, "the version is in the path", "spec/promises: %s %s is %i"],
    [2, "the description's own version", "openapi/document: describes the version of the interface"],
    [
      3,
      "three versions of the model",
      "spec/tables/requests/custom: model_version v4",
      "spec/tables/no-effect: model_version as it is by default",
    ],
    [
      4,
      "two of them stand for v6",
      "spec/tables/no-effect: model_version v5.5, which v6 stands in for",
      "spec/tables/no-effect: model_version v5, which v6 stands in for",
    ],
    [
      5,
      "extras pass",
      "spec/tables/requests/envelope: an extra at the root",
      "spec/tables/no-effect: an extra at the root",
    ],
    [
      6,
      "clips' further fields come and go",
      "sdk/lenient-reading: clips need an id and an address, and nothing else",
    ],
    [7, "so does the default format", "spec/audio: omitted, of MP3"],
    [8, "mp3 pins it", "spec/audio: mp3, of WAV"],
    [
      9,
      "later versions are left open",
      "sdk/lenient-reading: values that this version does not know pass as they are",
    ],
  ),
];

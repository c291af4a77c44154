import { section } from "./section.js";

export const SERVICE = [
  section(
    "Beginning",
    [1, "what the document covers", "document"],
    [2, "there is no other document", "document"],
    [3, "the service address is the client's to give", "sdk/client-options: %j leads to %s"],
    [4, "a placeholder for the key", "document"],
    [5, "task ids are UUIDs", "spec/tasks: $what in $status has exactly the documented fields"],
    [6, "times are ISO 8601", "spec/tasks: $what in $status has exactly the documented fields"],
    [7, "the names of the two models", "spec/contract-constants: has the models and the task types"],
  ),
  section(
    "What the service does",
    [1, "REST and JSON", "spec/endpoints: $method $path answers $success with exactly the documented data"],
    [2, "a key for every request", "spec/promises: %s does not stand in for it"],
    [
      3,
      "the model of the task decides the provider",
      "spec/tasks: $type by $model that succeeded has a result of its type",
    ],
    [4, "work goes on after the answer", "emulator/task-life: a song waits, is worked on, and is there"],
    [
      5,
      "an id at once, then polls until the end",
      "contract/suite/tasks: make a song from a description, minutes of service time later",
    ],
    [6, "the task types", "spec/contract-constants: has the models and the task types"],
    [
      7,
      "provider_a does all of them",
      "spec/contract-constants: offers $type by $model for $credits credits",
    ],
    [
      8,
      "provider_b does music alone",
      "spec/contract-constants: does not offer $type by $model",
      "spec/tables/requests/envelope: lyrics by provider_b",
    ],
    [
      9,
      "credits are paid in advance",
      "contract/suite/credits: run out: the task that they do not pay is refused, and changes nothing",
    ],
    [10, "what a credit is worth", "spec/contract-constants: knows what a credit costs"],
    [
      "row provider_a music",
      "price",
      "spec/transitions: $type by $model: $credits credits are frozen, then $end",
    ],
    [
      "row provider_b music",
      "price",
      "spec/transitions: $type by $model: $credits credits are frozen, then $end",
    ],
    [
      "row provider_a lyrics",
      "price",
      "spec/transitions: $type by $model: $credits credits are frozen, then $end",
    ],
    ["row upload", "price", "spec/transitions: $type by $model: $credits credits are frozen, then $end"],
    ["row concat", "price", "spec/transitions: $type by $model: $credits credits are frozen, then $end"],
    [
      11,
      "accepting freezes",
      "spec/requests: $section: $name",
      "contract/suite/credits: are available before, frozen during and spent after a task",
    ],
    [
      12,
      "success settles",
      "emulator/task-life: a success settles them at the read that finds it, and not before",
    ],
    [
      13,
      "failure and timeout refund",
      "emulator/task-life: a failure refunds them, and says why it failed",
      "contract/suite/credits: come back when a task times out, an hour later",
    ],
    [
      14,
      "all paths have the prefix",
      "spec/contract-constants: has the endpoints, with method, path and the status of success",
      "spec/promises: %s %s is %i",
    ],
    [15, "the dashboard is apart from the API", "spec/promises: %s %s is %i"],
    [16, "its rules are told under Limits", "document"],
    [
      17,
      "keys are made and deleted",
      "emulator/control: an account and its keys are made, changed and deleted",
    ],
    [
      18,
      "top-ups by card and by cryptocurrency",
      "emulator/top-ups: a top-up by %s is completed at once: one credit for each cent",
      "emulator/top-ups: a card that is refused brings nothing, and is not saved",
      "emulator/top-ups: brings its credits when it is completed, once",
    ],
    [
      19,
      "the automatic top-up, by card",
      "emulator/auto-top-up: it charges as soon as a freeze leaves less than the threshold, and not before",
    ],
    [
      20,
      "billing information and invoices",
      "emulator/invoices: there is one invoice for each completed paid purchase, and none for anything else",
      "emulator/invoices: until billing is complete, the list, an invoice and an unknown one are all a 409",
      "emulator/invoices: an invoice is a PDF, the same bytes each time",
    ],
  ),
];

import { section } from "./section.js";

const BODIES = "spec/endpoints: $method $path answers $success with exactly the documented data";
const STATUSES = "spec/endpoints: $method $path can answer $status, with the error body";
const MISSING_KEY =
  "emulator/accounts: a missing key and a wrong key are told apart, and neither shows what is left";
const UNKNOWN_OUTCOME = "contract/suite/faults: is sent once: %s";

export const ENDPOINTS = [
  section(
    "Endpoints",
    [1, "all need a key", "spec/promises: %s does not stand in for it", STATUSES],
    [
      2,
      "all answers are JSON with a request id",
      BODIES,
      "emulator/fuzz: whatever is sent, the answer comes, has a request id and an error body, and is never a 500",
    ],
    [
      3,
      "most tell what is left of the window",
      "spec/endpoints: $method $path counts what is left of the window",
    ],
    [4, "an early 401 does not", MISSING_KEY],
  ),
  section(
    "POST /api/v1/task",
    [
      1,
      "its headers",
      "emulator/http: a body without a type is refused",
      "spec/endpoints: $method $path names its answer after the request's id",
    ],
    [2, "its body", "spec/requests: the emulator accepts what the interface allows, for its price"],
    [3, "a 202 with the submission", BODIES],
    [4, "its errors", STATUSES],
    [
      5,
      "checks come before effects",
      "spec/requests: the emulator refuses what the interface forbids, and nothing changes",
    ],
    [6, "nothing makes it idempotent", "spec/promises: is two tasks, each paid, also %s"],
    [7, "no automatic resubmission", UNKNOWN_OUTCOME, "emulator/audit: is the same payload again after %j"],
    [
      8,
      "a known id is polled",
      "contract/suite/tasks: are waited for by their submission, their id, and a submission that was saved",
    ],
    [9, "no event", "spec/promises: nobody is called when a task ends, whatever address the request holds"],
  ),
  section(
    "GET /api/v1/task/{taskId}",
    [
      1,
      "the id in the path",
      "spec/endpoints: a task id of %s is not found",
      "sdk/task-id: %j is refused as a task id, and nothing is sent",
    ],
    [2, "a 200 with the task", BODIES],
    [
      3,
      "others' tasks are not found",
      "emulator/accounts: a task of another account is not found, in the same words as one that never was",
    ],
    [4, "its errors", STATUSES],
    [
      5,
      "each read asks the provider",
      "spec/promises: each read of a task in progress shows how far its provider is by then",
    ],
  ),
  section(
    "GET /api/v1/account/balance",
    [1, "asked without anything", "emulator/http: a query is no part of the path"],
    [2, "a 200 with the balance", BODIES],
    [3, "its errors", STATUSES],
  ),
  section(
    "GET /api/v1/account/usage",
    [1, "asked without anything", "emulator/http: a query is no part of the path"],
    [2, "a 200 with the usage", BODIES],
    [3, "its errors", STATUSES],
    [4, "no other calls are shown", "spec/promises: %s %s is %i"],
  ),
  section(
    "Authentication",
    [1, "the key is in its header", "sdk/request: carries the key and a request id of its own"],
    [2, "nothing else opens", "spec/promises: %s does not stand in for it"],
    [3, "keys belong to accounts", "emulator/control: an account and its keys are made, changed and deleted"],
    [
      4,
      "a key is shown once",
      "emulator/control: an account and its keys are made, changed and deleted",
      "emulator/accounts: no answer ever holds the key",
    ],
    [
      5,
      "keys are deleted and replaced",
      "contract/suite/accounts: lose what uses a key of theirs that is deleted, and go on with another",
    ],
    [
      6,
      "a key spends its account's credits",
      "emulator/accounts: all keys of an account spend its credits and see its tasks",
    ],
    [7, "no key", MISSING_KEY],
    [
      8,
      "a bad key",
      MISSING_KEY,
      "emulator/accounts: a disabled key is refused until it is enabled again, and a deleted one for ever",
    ],
    [
      9,
      "authentication comes before the count",
      MISSING_KEY,
      "emulator/rate-limit: neither a 401 nor a 429 counts against a window",
    ],
    [
      10,
      "a suspended account creates nothing",
      "emulator/accounts: a suspended account creates no tasks, and everything else goes on",
    ],
    [11, "tasks are their account's", "contract/suite/accounts: see their own tasks and credits only"],
    [12, "a safe request id is propagated", "spec/endpoints: the emulator propagates $name: $safe"],
    [
      13,
      "another is replaced",
      "spec/endpoints: are different for each request that brings none",
      "emulator/http: the request id %j is replaced",
    ],
    [
      14,
      "every answer has one",
      "emulator/fuzz: whatever is sent, the answer comes, has a request id and an error body, and is never a 500",
    ],
    [15, "keys stay on servers", "sdk/client-options: %s is refused, with the reason"],
  ),
  section(
    "Events",
    [
      1,
      "there are none",
      "spec/promises: nobody is called when a task ends, whatever address the request holds",
    ],
    [
      2,
      "results come by polling",
      "spec/promises: nobody is called when a task ends, whatever address the request holds",
      "contract/suite/tasks: make a song from a description, minutes of service time later",
    ],
  ),
];

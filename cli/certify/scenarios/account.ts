import type { Emulator } from "../../../emulator/index.js";
import { ENDPOINTS } from "../../../src/contract/service.js";
import { failing } from "../arrangement.js";
import { all, givesUp, isCreation, judgeBy, sendsOnce } from "../judges.js";
import type { Topic } from "../scenario.js";

const STOP =
  "Treat 401, 402, 403 and 404 as final: report `error_code`, and exit with another status than 0.";

/** Until now and from now on, the key is refused. */
function disableKey({ accounts, accountId }: Emulator): void {
  for (const { key_id } of accounts.get(accountId).keys)
    accounts.updateKey(accountId, key_id, { disabled: true });
}

/** A client may first read its balance, and a library may try a read once more. */
const MOST_REFUSED = 4;

const stopsAfter = (status: number) =>
  judgeBy(({ requests }) => {
    const { length } = requests.filter((each) => each.status === status);
    return length <= MOST_REFUSED ? null : `It sent ${length} requests that got ${status}.`;
  });

const hidesKey = judgeBy(({ stdout, stderr, requests, apiKey }) => {
  if (requests.some(({ url }) => url.href.includes(apiKey))) return "It sent the API key in a URL.";
  return `${stdout}${stderr}`.includes(apiKey) ? "It wrote the API key to stdout or stderr." : null;
});

export const ACCOUNT: Topic = {
  title: "Account",
  scenarios: [
    {
      name: "invalid-key",
      rule: "The client stops if its key is refused.",
      sentence: "A key that is unknown, deleted or disabled gets 401.",
      change: STOP,
      arrange: { prepare: disableKey },
      judge: all(sendsOnce, stopsAfter(401), givesUp),
    },
    {
      name: "key-secrecy",
      rule: "The client writes its key nowhere, also if the key is refused.",
      sentence:
        "The key belongs in code of your servers only. It is sent in the header x-api-key, and there is no other credential.",
      isRequired: false,
      change: "Remove the key from messages, and print no headers of requests.",
      arrange: { prepare: disableKey },
      judge: hidesKey,
    },
    {
      name: "key-deleted",
      rule: "The client stops polling if its key is refused meanwhile.",
      sentence: "Reads have the same authentication as all requests. A disabled key gets 401.",
      isRequired: false,
      change: `${STOP} Write the ID of the task: it continues, and can be read with another key of the account.`,
      arrange: {
        deviate: () => async (request, next, emulator) => {
          const response = await next(request);
          if (isCreation(request)) disableKey(emulator);
          return response;
        },
      },
      judge: all(sendsOnce, stopsAfter(401), givesUp),
    },
    {
      name: "insufficient-credits",
      rule: "The client stops if the credits do not suffice.",
      sentence:
        "If fewer credits are available than the task costs, the POST gets 402 and nothing is charged.",
      change: STOP,
      arrange: { credits: 3 },
      judge: all(sendsOnce, stopsAfter(402), givesUp),
    },
    {
      name: "suspended-account",
      rule: "The client stops if the account is suspended.",
      sentence: "A suspended account can't create tasks: the POST gets 403.",
      change: STOP,
      arrange: { prepare: ({ accounts, accountId }) => void accounts.update(accountId, { suspended: true }) },
      judge: all(sendsOnce, stopsAfter(403), givesUp),
    },
    {
      name: "task-not-found",
      rule: "The client stops if its task is not found, and creates no other one.",
      sentence: "The read of a task that is unknown or another account's gets 404.",
      change: `${STOP} A new POST would be charged again.`,
      arrange: failing("GET", `${ENDPOINTS.createTask.path}/*`)(
        { kind: "status", status: 404, error_code: "task_not_found", when: "before" },
        1000,
      ),
      judge: all(sendsOnce, stopsAfter(404), givesUp),
    },
  ],
};

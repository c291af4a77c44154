import type { FaultRule } from "../../../emulator/index.js";
import { ENDPOINTS, HEADERS } from "../../../src/contract/service.js";
import type { Deviation } from "../arrangement.js";
import { all, creationsIn, isHonest, judgeBy, keeps, savesSong } from "../judges.js";
import type { Topic } from "../scenario.js";

const { path } = ENDPOINTS.createTask;
const WAIT =
  "Read the header Retry-After of a 429, and sleep for so many seconds before the same request is sent again.";
const STATED_WAIT =
  "A 429 states the wait in seconds: in the header Retry-After, and in the field `retry_after_seconds` of its body.";

/** Refuses a request with 429. Its wait is longer than that of a usual retry. */
function limits(method: string, at: string, seconds: number): FaultRule {
  const fault = { kind: "status", status: 429, retry_after_seconds: seconds, when: "before" } as const;
  return { method, path: at, fault };
}

/** No response says how many requests are left. */
const withoutRemaining = (): Deviation => async (request, next) => {
  const response = await next(request);
  response.headers.delete(HEADERS.rateLimitRemaining);
  return response;
};

export const RATE_LIMIT: Topic = {
  title: "Rate limit",
  scenarios: [
    {
      name: "create-429-wait",
      rule: "After a 429 for the POST, the client sends it again no earlier than stated.",
      sentence: STATED_WAIT,
      change: WAIT,
      arrange: { faults: [limits("POST", path, 6)] },
      judge: all(keeps("ignored_retry_after"), isHonest),
    },
    {
      name: "create-429-twice",
      rule: "The client waits as long as each 429 states, also if the second one states more.",
      sentence: STATED_WAIT,
      change: `${WAIT} Read it from each response: the waits differ.`,
      arrange: { faults: [limits("POST", path, 1), limits("POST", path, 5)] },
      judge: all(keeps("ignored_retry_after"), isHonest),
    },
    {
      name: "create-429-song",
      rule: "The client makes its song after a 429.",
      sentence: "A creation that got 429 may be sent again after the stated wait.",
      isRequired: false,
      change: `${WAIT} A 429 has no effect, so this can't charge twice.`,
      arrange: { faults: [limits("POST", path, 2)] },
      judge: all(
        savesSong,
        judgeBy(({ tasks }) => (tasks.length === 1 ? null : `It made ${tasks.length} tasks.`)),
      ),
    },
    {
      name: "read-429",
      rule: "After a 429 for a poll, the client polls again no earlier than stated, and saves the song.",
      sentence: `${STATED_WAIT} Reads may be sent again.`,
      change: `${WAIT} Then continue to poll.`,
      arrange: { faults: [limits("GET", `${path}/*`, 8)] },
      judge: all(keeps("ignored_retry_after"), savesSong),
    },
    {
      name: "no-remaining-header",
      rule: "The client works without the header X-RateLimit-Remaining.",
      sentence: "Most responses have the header X-RateLimit-Remaining, but not all.",
      change: "Read the header only if it is there.",
      arrange: { deviate: withoutRemaining },
      judge: all(
        savesSong,
        judgeBy((run) => (creationsIn(run).length === 1 ? null : "It sent the creation again.")),
      ),
    },
  ],
};

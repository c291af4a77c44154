import { ENDPOINTS, HEADERS, isSafeRequestId } from "../../../src/contract/service.js";
import { type Arrangement, failing } from "../arrangement.js";
import { gatewayPage } from "../deviations.js";
import { all, creationsIn, givesUp, isCreation, isHonest, judgeBy, savesSong, sendsOnce } from "../judges.js";
import type { Scenario, Topic } from "../scenario.js";

const failed = failing("POST", ENDPOINTS.createTask.path);
const UNKNOWN_OUTCOME =
  "After a POST without a usable response, or with a 5xx, a task may exist. The client must not send the same request again by itself.";
const SEND_ONCE =
  "Send the POST outside of any retry: exclude it from the retries of the HTTP library, and report the unknown outcome. The user can then compare `tasks_created` of the usage.";

/** A scenario in which the response to the POST is lost or useless. */
function unknownOutcome(name: string, situation: string, arrange: Arrangement): Scenario {
  return {
    name,
    rule: `The client does not repeat a POST ${situation}, and reports no song that it does not have.`,
    sentence: UNKNOWN_OUTCOME,
    change: SEND_ONCE,
    arrange,
    judge: all(sendsOnce, isHonest),
  };
}

/** The scenario without a fault: a client that fails it is not judged further. */
export const FIRST: Scenario = {
  name: "song",
  rule: "The client creates one task, waits for its end, and saves the audio.",
  sentence:
    "A client submits a task, receives its ID at once, and polls the task until it has a final status.",
  change:
    "The client must read ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY, make one song, write the path of its file to stdout or the file into ASYNC_MUSIC_OUT_DIR, and exit with status 0.",
  judge: all(
    savesSong,
    sendsOnce,
    judgeBy((run) => (creationsIn(run).length === 0 ? "It sent no POST." : null)),
  ),
};

const declaresJson = judgeBy((run) => {
  const [sent] = creationsIn(run);
  const type = sent?.headers.get("Content-Type") ?? "none";
  return /^application\/json\b/i.test(type) ? null : `The Content-Type of its POST is ${type}.`;
});

const identifiesRequests = judgeBy(({ requests }) => {
  const ids = requests.map(({ headers }) => headers.get(HEADERS.requestId));
  const unsafe = ids.find((id) => id !== null && !isSafeRequestId(id));
  return unsafe === undefined
    ? null
    : `It sent an X-Request-Id of ${unsafe?.length} characters, or with unsafe ones.`;
});

export const CREATING: Topic = {
  title: "Creating once",
  scenarios: [
    FIRST,
    {
      name: "request-headers",
      rule: "The client declares its POST as JSON. If it sends an X-Request-Id, the ID is safe.",
      sentence:
        "A creation needs the header Content-Type: application/json. A client may send an X-Request-Id of 1 to 128 safe characters.",
      change: "Set Content-Type: application/json, and make request IDs from letters, digits and hyphens.",
      judge: all(savesSong, declaresJson, identifiesRequests),
    },
    unknownOutcome(
      "create-lost-response",
      "whose connection broke after the service carried it out",
      failed({ kind: "disconnect", when: "after" }),
    ),
    unknownOutcome(
      "create-broken-connection",
      "whose connection broke before the service carried it out",
      failed({ kind: "disconnect", when: "before" }),
    ),
    unknownOutcome("create-502", "that gets 502", failed({ kind: "status", status: 502, when: "after" })),
    unknownOutcome("create-500", "that gets 500", failed({ kind: "status", status: 500, when: "before" })),
    unknownOutcome("create-gateway-page", "that gets the 504 page of a gateway", {
      deviate: () => async (request, next) => {
        const response = await next(request);
        return isCreation(request) ? gatewayPage(504) : response;
      },
    }),
    unknownOutcome("create-cut-response", "whose response is cut", failed({ kind: "malformed" })),
    unknownOutcome(
      "create-slow-response",
      "whose response takes 8 seconds",
      failed({ kind: "latency", ms: 8000 }),
    ),
    {
      ...unknownOutcome(
        "create-408",
        "that gets 408",
        failed({ kind: "status", status: 408, when: "after" }),
      ),
      sentence:
        "The interface has no 408. A gateway that sends one may have forwarded the POST, so a task may exist.",
      isRequired: false,
    },
    {
      name: "create-400",
      rule: "The client does not repeat a POST that the service refused as invalid.",
      sentence: "400 means that the request is invalid. It creates no task, and the balance is unchanged.",
      change:
        "Treat every 4xx but 408 and 429 as final: report `error_code` and exit with another status than 0.",
      arrange: failed(
        { kind: "status", status: 400, error_code: "invalid_task_input", when: "before" },
        1000,
      ),
      judge: all(sendsOnce, givesUp),
    },
  ],
};

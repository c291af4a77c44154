import { ENDPOINTS, LIMITS } from "../../../src/contract/service.js";
import { type Arrangement, failing } from "../arrangement.js";
import { gatewayPage, readsTask } from "../deviations.js";
import { all, givesUp, isHonest, isRead, judgeBy, keeps, savesSong, sendsOnce } from "../judges.js";
import type { ClientRun } from "../run.js";
import type { Scenario, Topic } from "../scenario.js";

const failed = failing("GET", `${ENDPOINTS.createTask.path}/*`);
const READS_ARE_SAFE =
  "Reads are safe: a client may send them again, with a growing delay. If it has the ID of a task, it polls that task.";
const POLL_ON =
  "Catch errors of a poll: a broken connection, a 5xx, a body that is not JSON. Poll the same task again after the usual pause.";

/** A scenario in which reads fail and the song is made all the same. */
function failedRead(name: string, situation: string, arrange: Arrangement): Scenario {
  return {
    name,
    rule: `The client polls again ${situation}, and saves the song.`,
    sentence: READS_ARE_SAFE,
    change: POLL_ON,
    arrange,
    judge: all(savesSong, sendsOnce),
  };
}

/** The read at which the song of a scenario about polling ends. */
const LAST_POLL = 3;

/** The pauses between reads, in milliseconds, until the song has ended: a later read is no poll. */
const pausesOf = ({ requests }: ClientRun): number[] => {
  const reads = requests.filter(isRead).slice(0, LAST_POLL);
  const times = reads.map(({ at }) => at);
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
};

/** Timers of clients and the network may be early by this much. */
const TOLERANCE_MS = 250;

const pollsAtRecommendedPace = judgeBy((run) => {
  const { shortest, longest } = LIMITS.recommendedPollIntervalMs;
  const outside = pausesOf(run).find((ms) => ms < shortest - TOLERANCE_MS || ms > longest + 4 * TOLERANCE_MS);
  return outside === undefined ? null : `It polled after ${(outside / 1000).toFixed(1)} s.`;
});

export const WAITING: Topic = {
  title: "Waiting",
  scenarios: [
    {
      name: "poll-interval",
      rule: "The client waits at least one second between polls of a task.",
      sentence: "A task must not be polled more often than once a second.",
      change: "Sleep between polls: 5 to 10 seconds are recommended.",
      arrange: { outcome: { polls: LAST_POLL } },
      judge: all(keeps("polled_too_often"), savesSong),
    },
    {
      name: "poll-pace",
      rule: "The client polls every 5 to 10 seconds.",
      sentence: "Polling every 5 to 10 seconds is recommended.",
      isRequired: false,
      change: "Sleep 5 seconds between polls.",
      arrange: { outcome: { polls: LAST_POLL } },
      judge: all(pollsAtRecommendedPace, savesSong),
    },
    {
      name: "queued-song",
      rule: "The client waits for a task that stays `pending` and has no output yet.",
      sentence:
        "`pending` means that the task waits. `output` may be null, or an object with a `result` of null, until the task has succeeded.",
      change: "Read `output` only when `status` is `success`.",
      arrange: { outcome: { polls: undefined, queue_seconds: 7, process_seconds: 2 } },
      judge: all(savesSong, sendsOnce),
    },
    failedRead("read-500", "after a 500", failed({ kind: "status", status: 500, when: "before" }, 2)),
    failedRead(
      "read-broken-connection",
      "after a broken connection",
      failed({ kind: "disconnect", when: "after" }),
    ),
    failedRead("read-cut-response", "after a response that is cut", failed({ kind: "malformed" })),
    failedRead("read-gateway-page", "after the 503 page of a gateway", {
      deviate: () => {
        let count = 0;
        return async (request, next) => (isRead(request) && ++count === 1 ? gatewayPage(503) : next(request));
      },
    }),
    {
      name: "task-timeout",
      rule: "The client treats `timeout` as the end of the task.",
      sentence: "A task that is open for more than an hour becomes `timeout`, and its credits are refunded.",
      change: "Leave the loop at `timeout` as at `failure`, and exit with another status than 0.",
      arrange: {
        firstOutcome: { outcome: "failure" },
        deviate: readsTask((data) => (data["status"] === "failure" ? { ...data, status: "timeout" } : data)),
      },
      judge: (run) => (run.tasks.length > 1 ? isHonest(run) : givesUp(run)),
    },
  ],
};

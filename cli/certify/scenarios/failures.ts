import type { Arrangement } from "../arrangement.js";
import { readsTask } from "../deviations.js";
import { all, creationsIn, givesUp, isHonest, judgeBy, keeps, type RunJudge } from "../judges.js";
import type { ClientRun } from "../run.js";
import type { Scenario, Topic } from "../scenario.js";

const NOT_RETRYABLE =
  "A failed task states `retryable`. With false, the same request can never succeed, and must never be sent again.";
const GIVE_UP =
  "Branch on `retryable`: with false, report `error_code` and exit with another status than 0. Send a new task only after the request has changed.";

/** A task that fails permanently. */
function permanentFailure(name: string, situation: string, arrange: Arrangement): Scenario {
  return {
    name,
    rule: `The client does not send a request again ${situation}, and exits with another status than 0.`,
    sentence: NOT_RETRYABLE,
    change: GIVE_UP,
    arrange,
    judge: all(keeps("resent_not_retryable"), sendsOneCreation, givesUp),
  };
}

const sendsOneCreation = judgeBy((run) => {
  const { length } = creationsIn(run);
  return length <= 1 ? null : `It sent the creation ${length} times.`;
});

/** The client sent no second creation, or sent it no earlier than the failed task states. */
function waitsAfterFailure(seconds: number): RunJudge {
  return judgeBy((run) => {
    const [first, second] = creationsIn(run);
    const read = run.requests.filter(
      (each) => first !== undefined && each.at >= first.at && each.method === "GET",
    );
    const failedAt = read.find(({ at }) => second === undefined || at < second.at)?.at;
    if (second === undefined || failedAt === undefined) return null;
    const ms = second.at - failedAt;
    return ms >= seconds * 1000 ? null : `It sent the creation again after ${(ms / 1000).toFixed(1)} s.`;
  });
}

/** Whether the client wrote why it has no song. */
const reportsCode = (code: string) =>
  judgeBy(({ stdout, stderr }: ClientRun) =>
    `${stdout}${stderr}`.includes(code) ? null : `It did not write \`${code}\`, the error code of the task.`,
  );

export const FAILURES: Topic = {
  title: "Failures",
  scenarios: [
    permanentFailure("failure-moderation", "that the content moderation has refused", {
      outcome: { outcome: "failure", error_code: "content_moderation" },
    }),
    permanentFailure("failure-prose", "that can't succeed, whatever the message says", {
      outcome: {
        outcome: "failure",
        error_code: "upstream_provider_error",
        retryable: false,
        error: "Temporary problem. Please try again.",
      },
    }),
    permanentFailure("failure-unknown-code", "that can't succeed, even if its error code is new", {
      outcome: { outcome: "failure", error_code: "content_moderation" },
      deviate: readsTask((data) =>
        data["error_code"] === null ? data : { ...data, error_code: "voice_not_licensed" },
      ),
    }),
    {
      name: "failure-retryable",
      rule: "The client treats `failure` as the end of the task, also if a new one could succeed.",
      sentence: "`failure` is final. The credits are refunded, and a new task is a new charge.",
      change:
        "Leave the loop at `failure`. Then exit with another status than 0, or create another task and wait for that one.",
      arrange: { firstOutcome: { outcome: "failure", error_code: "upstream_provider_error" } },
      judge: (run) => (run.tasks.length > 1 ? isHonest(run) : givesUp(run)),
    },
    {
      name: "failure-wait",
      rule: "A client that makes another task after a failure waits as long as the failed one states.",
      sentence:
        "A failed task states the wait before another try in `retry_after_seconds`, if the provider states one.",
      change: "Sleep for `retry_after_seconds` before the next creation, or leave it to the user.",
      arrange: { firstOutcome: { outcome: "failure", error_code: "rate_limited", retry_after_seconds: 10 } },
      judge: all(waitsAfterFailure(10), isHonest),
    },
    {
      name: "failure-report",
      rule: "The client reports the error code of a failed task.",
      sentence: "`error_code` is stable, and `error` is prose that may be reworded.",
      isRequired: false,
      change: "Write `error_code` to stderr.",
      arrange: { outcome: { outcome: "failure", error_code: "content_moderation" } },
      judge: reportsCode("content_moderation"),
    },
  ],
};

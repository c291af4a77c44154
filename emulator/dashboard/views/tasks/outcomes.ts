import type { Outcome } from "../../client/client.js";

/** How a task can be made to end, in a few words. */
export const OUTCOMES: readonly { name: string; words: string; outcome: Outcome }[] = [
  { name: "success", words: "Succeeds", outcome: { outcome: "success" } },
  { name: "quick", words: "Succeeds within a second", outcome: { outcome: "success", process_seconds: 1 } },
  { name: "first-read", words: "Succeeds at the first read", outcome: { outcome: "success", polls: 1 } },
  {
    name: "moderated",
    words: "Fails: content_moderation, never to be sent again",
    outcome: { outcome: "failure", error_code: "content_moderation" },
  },
  {
    name: "upstream",
    words: "Fails: upstream_provider_error, may be sent again",
    outcome: { outcome: "failure", error_code: "upstream_provider_error" },
  },
  {
    name: "limited",
    words: "Fails: rate_limited, come back after 30 s",
    outcome: { outcome: "failure", error_code: "rate_limited", retry_after_seconds: 30 },
  },
  { name: "hang", words: "Hangs: it will time out after an hour", outcome: { outcome: "hang" } },
  { name: "reject", words: "Is refused at submission: 502, no task", outcome: { outcome: "reject" } },
  {
    name: "not-storable",
    words: "Succeeds, but the service can't store the audio",
    outcome: { outcome: "success", storable: false },
  },
  { name: "no-clips", words: "Succeeds without a single clip", outcome: { outcome: "success", clips: 0 } },
];

export function outcomeNamed(name: string): Outcome | null {
  return OUTCOMES.find((each) => each.name === name)?.outcome ?? null;
}

/** The words for an outcome, or its own fields where it has none. */
export function describeOutcome(outcome: Outcome): string {
  const text = JSON.stringify(outcome);
  return OUTCOMES.find((each) => JSON.stringify(each.outcome) === text)?.words ?? text;
}

import { LIMITED, type Survey } from "./survey.js";
import { CREDITS_FOR_EXTRAS, type DriftTest } from "./tests.js";

/** What no test shows. */
const NEVER_SHOWN = [
  "Whether the balance is true. A service that states a wrong balance can charge more than --max-credits. With a true balance, it can take too much with one request, and then the check stops.",
  "What each request did if another program used the account meanwhile.",
  "How long tasks take, how many clips they have, and undocumented fields of clips.",
  "What happens to audio 7 days after the end of its task, and whether cover art can be downloaded.",
  "How a clip of the account is continued or concatenated: the tests name a clip that does not exist.",
  "Which errors the service returns for missing credits, a suspended account, and failures of its own or of its providers.",
] as const;

/** What the check cannot find out, and what these tests did not show. */
export function notKnown({ observations }: Survey, tests: readonly DriftTest[]): string[] {
  const hasLimit = observations.has(LIMITED);
  const hasTimeout = [...observations.values()].some((parts) => "read while timeout" in parts);
  const left = tests.some((test) => "isExtra" in test && !observations.has(test.name));
  return [
    ...(left
      ? [`How uploads end and what they cost. --max-credits ${CREDITS_FOR_EXTRAS} also creates two.`]
      : []),
    ...(hasLimit
      ? []
      : ["What the service returns when the rate limit is exceeded: the check stays below it."]),
    ...(hasTimeout ? [] : ["What a task looks like after its timeout: none timed out."]),
    ...NEVER_SHOWN,
  ];
}

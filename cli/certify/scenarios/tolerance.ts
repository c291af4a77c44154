import { recordOf } from "../../../src/contract/service.js";
import { makesClips, readsTask } from "../deviations.js";
import { all, savesSong, sendsOnce } from "../judges.js";
import type { Topic } from "../scenario.js";

export const TOLERANCE: Topic = {
  title: "Tolerance",
  scenarios: [
    {
      name: "new-clip-fields",
      rule: "The client ignores fields of a clip that it does not know.",
      sentence: "Clips may have further fields of the provider, which may appear without notice.",
      change:
        "Read the fields that you need, and ignore all others: don't validate responses with a closed schema.",
      arrange: {
        deviate: makesClips((clip) => ({ ...clip, mood: { primary: "calm" }, stems: [], video_url: null })),
      },
      judge: all(savesSong, sendsOnce),
    },
    {
      name: "no-title",
      rule: "The client saves a clip that has an ID and an address only.",
      sentence:
        "Fields of the provider may vanish without notice. Clips of uploads have `id` and `audio_url` only.",
      isRequired: false,
      change: "Take `title`, `metadata` and `image_url` as optional.",
      arrange: { deviate: makesClips(({ id, audio_url }) => ({ id, audio_url })) },
      judge: all(savesSong, sendsOnce),
    },
    {
      name: "title-characters",
      rule: "The client saves a clip whatever characters its title has.",
      sentence:
        "`title` is any string: the service converts other values to strings, and states no restriction.",
      isRequired: false,
      change:
        "Make file names from the clip ID, or replace all characters of a title that are no letters and digits.",
      arrange: { deviate: makesClips((clip) => ({ ...clip, title: "AC/DC: ../rain?\n" })) },
      judge: all(savesSong, sendsOnce),
    },
    {
      name: "null-fields",
      rule: "The client accepts null in the fields of an open task that may be null.",
      sentence:
        "`output`, `error`, `error_code`, `retryable`, `retry_after_seconds`, `created_at` and `completed_at` may be null.",
      change: "Check these fields for null before you use them.",
      arrange: {
        outcome: { polls: 3 },
        deviate: readsTask((data, count) =>
          data["status"] === "success"
            ? { ...data, created_at: null }
            : {
                ...data,
                created_at: null,
                output: count === 1 ? null : { ...recordOf(data["output"]), progress: null },
              },
        ),
      },
      judge: all(savesSong, sendsOnce),
    },
    {
      name: "unknown-status",
      rule: "The client polls on if a task has a status that it does not know.",
      sentence: "`success`, `failure` and `timeout` are final. No other status is.",
      isRequired: false,
      change:
        "Leave the loop at the three final statuses only, instead of at all but `pending` and `running`.",
      arrange: {
        deviate: readsTask((data, count) => (count === 1 ? { ...data, status: "moderating" } : data)),
      },
      judge: all(savesSong, sendsOnce),
    },
  ],
};

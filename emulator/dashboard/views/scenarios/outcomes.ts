import type { RuleOutcome } from "../../api.js";
import type { Presets } from "../../parts/presets.js";

export const OUTCOMES: Presets<RuleOutcome> = {
  success: ["Success", { outcome: "success" }],
  quick: ["Success within a second", { outcome: "success", process_seconds: 1 }],
  "first-read": ["Success at the first read", { outcome: "success", polls: 1 }],
  moderated: [
    "Failure: content_moderation, not retryable",
    { outcome: "failure", error_code: "content_moderation" },
  ],
  upstream: [
    "Failure: upstream_provider_error, retryable",
    { outcome: "failure", error_code: "upstream_provider_error" },
  ],
  limited: [
    "Failure: rate_limited, retryable after 30 s",
    { outcome: "failure", error_code: "rate_limited", retry_after_seconds: 30 },
  ],
  hang: ["Hangs: timeout after an hour", { outcome: "hang" }],
  reject: ["Rejected at submission: 502, no task", { outcome: "reject" }],
  "not-storable": ["Success, but the service can't store the audio", { outcome: "success", storable: false }],
  "no-clips": ["Success without clips", { outcome: "success", clips: 0 }],
};

export function outcomeNamed(name: string): RuleOutcome | null {
  return OUTCOMES[name]?.[1] ?? null;
}

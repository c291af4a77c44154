import { AsyncMusicError } from "./async-music-error.js";

/** A request of `runAll` was refused before anything was sent: with it, the batch could cost more than `maxCredits`. */
export class CreditCeilingError extends AsyncMusicError {
  override name = "CreditCeilingError";

  /** What the request costs. */
  readonly credits: number;

  /** What the batch has spent or frozen so far; refunds are not in it. */
  readonly spentCredits: number;

  /** The batch's own ceiling. */
  readonly maxCredits: number;

  constructor(details: { credits: number; spentCredits: number; maxCredits: number }) {
    const { credits, spentCredits, maxCredits } = details;
    super(
      `Failed to create a task: it costs ${credits} credits, more than the ${maxCredits - spentCredits} left ` +
        `of the batch's ${maxCredits}. Nothing was sent.`,
    );
    this.credits = credits;
    this.spentCredits = spentCredits;
    this.maxCredits = maxCredits;
  }
}

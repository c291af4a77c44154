/** An error whose message already says what the model has to do. */
export class Refusal extends Error {
  override name = "Refusal";
}

/** An error whose message already says what the model has to do. */
export class ToolRefusal extends Error {
  override name = "Refusal";
}

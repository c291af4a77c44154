/** What an id names is not there. */
export class UnknownIdError extends RangeError {
  override readonly name = "UnknownIdError";

  constructor(kind: string, id: string, owner = "there") {
    super(
      `Failed to find the ${kind}: ${owner === "there" ? "there is" : `${owner} has`} none with the id ${id}`,
    );
  }
}

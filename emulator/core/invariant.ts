/** Something that must never happen did: a fault of the emulator's own, never of its caller. */
class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Asserts what must hold whatever is asked of the emulator. */
export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new InvariantError(`Broken invariant: ${what}`);
}

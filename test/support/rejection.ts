import { expect } from "vitest";

/** What a promise rejects with, as an instance of the class that it has to be. */
export async function rejection<Kind extends Error>(
  promise: PromiseLike<unknown>,
  kind: abstract new (...details: never[]) => Kind,
): Promise<Kind> {
  const reason: unknown = await promise.then(
    (value) => expect.fail(`Expected a ${kind.name}, but it resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(reason instanceof kind))
    throw new Error(`Expected a ${kind.name}, but it rejected`, { cause: reason });
  expect(reason.name).toBe(kind.name);
  return reason;
}

export function reasonOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    (value) => expect.fail(`Expected a rejection, but it resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

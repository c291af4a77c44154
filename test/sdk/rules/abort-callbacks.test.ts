import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { type AbortCallback, Aborter, onAbort } from "../../../src/time/abort.js";

for (const create of [() => new AbortController(), () => new Aborter()]) {
  const { name } = create().constructor;

  test(`a callback that another one of its ${name} removes is not called`, () => {
    const controller = create();
    const called: string[] = [];
    const registered: AbortCallback[] = [];
    const add = (label: string) =>
      registered.push(
        onAbort(controller.signal, () => {
          called.push(label);
          registered[1]?.remove();
        }),
      );
    for (const label of ["first", "second", "third"]) add(label);
    controller.abort();
    expect(called).toEqual(["first", "third"]);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test(`a callback that is added during the abort of its ${name} is not called, and can be removed`, () => {
    const controller = create();
    const called: string[] = [];
    onAbort(controller.signal, () => {
      called.push("first");
      onAbort(controller.signal, () => called.push("late")).remove();
      onAbort(controller.signal, () => called.push("later"));
    });
    controller.abort();
    expect(called).toEqual(["first"]);
  });
}

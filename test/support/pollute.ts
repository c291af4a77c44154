import { onTestFinished } from "vitest";

/** Gives every object this property until the test is over. */
export function pollute(name: string, value: unknown): void {
  Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  onTestFinished(() => void Reflect.deleteProperty(Object.prototype, name));
}

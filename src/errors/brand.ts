/** Names the class of an error on its prototype, for every copy and version of this package. */
const BRAND = Symbol.for("async-music.errors.class");

interface ErrorClass {
  readonly prototype: object;
}

/**
 * Names a class of errors, and lets `instanceof` recognize those of other copies of this package: an application and a library may
 * each have one. The name is written out, since bundlers shorten the names of classes. A class passes itself as `this`: with its own
 * name in a static block, esbuild renames the class.
 */
export function brand(errorClass: ErrorClass, name: string): void {
  Object.defineProperty(errorClass.prototype, BRAND, { value: name });
  // Enumerable, since some loggers list what they log with `for … in`.
  const property = { value: name, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(errorClass.prototype, "name", property);
  Object.defineProperty(errorClass, Symbol.hasInstance, { value: isInstance, configurable: true });
}

/** Subclasses of an application inherit this method, and have no brand of their own. */
function isInstance(this: ErrorClass, value: unknown): boolean {
  const name = brandOf(this.prototype);
  if (name === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
  try {
    let prototype: object | null = Object(value) === value ? Object.getPrototypeOf(value) : null;
    while (prototype !== null && brandOf(prototype) !== name) prototype = Object.getPrototypeOf(prototype);
    return prototype !== null;
  } catch {
    // A proxy may throw when it is inspected.
    return false;
  }
}

function brandOf(prototype: object): unknown {
  return Object.getOwnPropertyDescriptor(prototype, BRAND)?.value;
}

/** Types of the platform, which may contain `any`. */
type Foreign = AbortSignal | Blob | Date | Error | Headers | ReadableStream | Response | URL;

/** Whether a type is `any`, which no public type may be. */
export type IsAny<Type> = 0 extends 1 & Type ? true : false;

/** Whether a type contains `any`: in a property, an element, a parameter or a result, some levels deep. */
export type HoldsAny<Type, Depth extends readonly 0[] = []> =
  IsAny<Type> extends true
    ? true
    : Depth["length"] extends 5
      ? false
      : true extends (Type extends unknown ? PartHoldsAny<Type, [...Depth, 0]> : never)
        ? true
        : false;

type PartHoldsAny<Type, Depth extends readonly 0[]> = Type extends Foreign
  ? false
  : Type extends Promise<infer Value>
    ? HoldsAny<Value, Depth>
    : Type extends readonly (infer Element)[]
      ? HoldsAny<Element, Depth>
      : Type extends (...parameters: infer Parameters) => infer Result
        ? HoldsAny<Parameters, Depth> | HoldsAny<Result, Depth>
        : Type extends object
          ? { [Key in keyof Type]-?: HoldsAny<Type[Key], Depth> }[keyof Type]
          : false;

/** Whether two types are the same. */
export type Equals<One, Other> =
  (<Type>() => Type extends One ? 1 : 2) extends <Type>() => Type extends Other ? 1 : 2 ? true : false;

/** A value of a type: the tests of types compile, and never run. */
export declare function given<Value>(): Value;

/** Compiles only with `true`. */
export function assertTrue<_Claim extends true>(): void {}

/** Compiles only with `false`. */
export function assertFalse<_Claim extends false>(): void {}

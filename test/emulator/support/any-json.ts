import fc from "fast-check";

/** Any JSON of these names, strings and numbers. */
export function anyJson(
  names: fc.Arbitrary<string>,
  strings: fc.Arbitrary<string>,
  numbers: fc.Arbitrary<number>,
): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      ...[strings, numbers, fc.boolean(), fc.constant(null)],
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(names, tie("any"), { maxKeys: 5 }),
    ),
  })).any;
}

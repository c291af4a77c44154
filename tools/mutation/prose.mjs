/**
 * Leaves texts of more than one word as they are: they are messages, which may be reworded, and no test holds them to
 * their wording. A text of one word is a state, a code or the name of a field, and is mutated.
 */
export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "prose",
    value: {
      shouldIgnore({ node }) {
        const texts =
          node.type === "StringLiteral"
            ? [node.value]
            : node.type === "TemplateLiteral"
              ? node.quasis.map(({ value }) => value.cooked)
              : [];
        return texts.some((text) => /\S\s+\S/.test(text)) ? "a message, which may be reworded" : undefined;
      },
    },
  },
];

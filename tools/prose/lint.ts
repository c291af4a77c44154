/** Checks the words of a page, or of the comments and messages of a source file, against `terms.json`. */

import { readFileSync } from "node:fs";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import text from "@textlint/textlint-plugin-text";
// @ts-expect-error The rule is published without types.
import terminology from "textlint-rule-terminology";
import ts from "typescript";

const kernel = new TextlintKernel();

/** Pairs of what is not used, as whole words in any case, and what to use. */
const list: [string, string][] = JSON.parse(readFileSync(new URL("terms.json", import.meta.url), "utf8"));
const terms = list.map(([pattern, use]) => [`(?<![\\w-])(?:${pattern})(?![\\w-])`, use]);

const plugins = [
  { pluginId: "markdown", plugin: "default" in markdown ? markdown.default : markdown },
  { pluginId: "text", plugin: "default" in text ? text.default : text },
];
const rules = [{ ruleId: "terminology", rule: terminology, options: { defaultTerms: false, terms } }];

/** Returns one line for each term that should be another one. */
export async function lintProse(path: string, content: string): Promise<string[]> {
  const isPage = path.endsWith(".md");
  const prose = isPage ? content : proseOf(path, content);
  const { messages } = await kernel.lintText(prose, { ext: isPage ? ".md" : ".txt", plugins, rules });
  return messages.map(({ loc, message }) => `${path}:${loc.start.line}:${loc.start.column} ${message}`);
}

/** The source with everything but its prose blanked out, so that positions stay the same. */
function proseOf(path: string, source: string): string {
  const blank = source.replace(/[^\n]/g, " ");
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const pieces = new Map<number, string>();
  const keep = (start: number, end: number) => pieces.set(start, withoutCode(source.slice(start, end)));

  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(source, node.pos) ?? []) keep(pos, end);
    for (const { pos, end } of ts.getTrailingCommentRanges(source, node.end) ?? []) keep(pos, end);
    if (isMessage(node)) keep(node.getStart(), node.end);
    node.getChildren().forEach(visit);
  };
  visit(file);

  let prose = "";
  for (const [start, piece] of [...pieces].sort(([one], [other]) => one - other))
    if (start >= prose.length) prose += blank.slice(prose.length, start) + piece;
  return prose;
}

/** A string of several words. Single words are names and values. */
function isMessage(node: ts.Node): boolean {
  if (!(ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node))) return false;
  const isClass = ts.isJsxAttribute(node.parent) && node.parent.name.getText() === "class";
  return !isClass && /\p{L} \p{L}/u.test(node.getText());
}

/** Without the marks of a comment or a string, and without the code in it. */
function withoutCode(piece: string): string {
  return piece
    .replace(/```[\s\S]*?```|(?<=.)`[^`\n]+`(?=.)/g, (code) => code.replace(/[^\n]/g, " "))
    .replace(/^[ \t]*(?:\/\*\*?|\*\/?|\/\/)/gm, (mark) => " ".repeat(mark.length))
    .replace(/^["'`}]|["'`]$|\$\{$|\*\/$/g, (mark) => " ".repeat(mark.length));
}

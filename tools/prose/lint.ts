/** Checks the words of a page, or of the comments, messages and names of a source file, against `terms.json`. */

import { readFileSync } from "node:fs";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import text from "@textlint/textlint-plugin-text";
// @ts-expect-error The rule is published without types.
import terminology from "textlint-rule-terminology";
import ts from "typescript";

const kernel = new TextlintKernel();

/** What is not used, as whole words in any case; what to use; and `"prose"` if names may have it. */
type Term = [pattern: string, use: string, where?: "prose"];

const list: Term[] = JSON.parse(readFileSync(new URL("terms.json", import.meta.url), "utf8"));
const ofNames = list.filter(([, , where]) => where !== "prose");

function rulesFor(terms: readonly Term[]) {
  const wholeWords = terms.map(([pattern, use]) => [`(?<![\\w-])(?:${pattern})(?![\\w-])`, use]);
  return [{ ruleId: "terminology", rule: terminology, options: { defaultTerms: false, terms: wholeWords } }];
}

const plugins = [
  { pluginId: "markdown", plugin: "default" in markdown ? markdown.default : markdown },
  { pluginId: "text", plugin: "default" in text ? text.default : text },
];

/** Returns one line for each term that should be another one. */
export async function lintProse(path: string, content: string): Promise<string[]> {
  const found = await lintFile(path, content);
  return found.map(({ line, column, message }) => `${path}:${line}:${column} ${message}`);
}

interface Found {
  line: number;
  column: number;
  message: string;
}

async function lintFile(path: string, content: string): Promise<Found[]> {
  if (/\.[mc]?[jt]sx?$/.test(path)) return lintSource(path, content);
  if (/\.(?:py|ya?ml)$/.test(path)) return lintText(hashComments(content), list);
  if (path.endsWith(".html")) return lintText(proseOfHtml(content), list);
  if (!path.endsWith(".md")) return lintText(withoutCode(content), list);
  return [...(await lintText(content, list, ".md")), ...(await lintText(aroundProse(content), list))];
}

/** What a reader of a page sees beside its prose: the front matter, alternative texts, and the prose in its code. */
function aroundProse(page: string): string {
  return onlyIn(
    page,
    /^---\n[\s\S]*?\n---\n|^[ \t]*```.*\n[\s\S]*?\n[ \t]*```$|(?<=!\[)[^\]\n]*(?=\])/gm,
    (piece) => {
      const [, language] = /^[ \t]*```(\w*)/.exec(piece) ?? [];
      if (language === undefined) return piece;
      if (!/^[jt]sx?$/.test(language)) return hashComments(piece);
      const code = piece.replace(/^[ \t]*```.*/gm, blanked);
      return proseOf(ts.createSourceFile("a.tsx", code, ts.ScriptTarget.Latest, true));
    },
  );
}

/** The texts of a web page, and the prose in its script. */
function proseOfHtml(page: string): string {
  const pieces = /<script[^>]*>[\s\S]*?<\/script>|(?<=>)[^<]+(?=<)/g;
  return onlyIn(page, pieces, (piece) => {
    if (!piece.startsWith("<")) return piece;
    const code = piece.replace(/<\/?script[^>]*>/g, blanked);
    return proseOf(ts.createSourceFile("a.js", code, ts.ScriptTarget.Latest, true));
  });
}

/** The comments of a shell script, of Python or of YAML. */
function hashComments(code: string): string {
  return onlyIn(code, /(?<=^|\s)# .*|"""[^"]*"""/gm, (comment) => comment);
}

function blanked(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** The pieces that match, changed to the same length, with all else blanked out, so that positions stay the same. */
function onlyIn(text: string, pieces: RegExp, change: (piece: string) => string): string {
  let prose = "";
  for (const { 0: piece, index } of text.matchAll(pieces))
    prose += blanked(text.slice(prose.length, index)) + change(piece);
  return prose + blanked(text.slice(prose.length));
}

async function lintSource(path: string, content: string): Promise<Found[]> {
  const file = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true);
  const names = declaredNames(file);
  const inNames = await lintText(names.map(wordsOf).join("\n"), ofNames);
  return [...(await lintText(proseOf(file), list)), ...inNames.map((found) => inName(file, names, found))];
}

async function lintText(text: string, terms: readonly Term[], ext = ".txt"): Promise<Found[]> {
  const { messages } = await kernel.lintText(text, { ext, plugins, rules: rulesFor(terms) });
  return messages.map(({ loc, message }) => ({ ...loc.start, message }));
}

/** The names that a source file declares. Those that it only uses belong to other files or packages. */
function declaredNames(file: ts.SourceFile): ts.Identifier[] {
  const names: ts.Identifier[] = [];
  const walk = (node: ts.Node): void => {
    const name = isDeclaration(node) ? node.name : undefined;
    if (name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)))
      names.push(name as ts.Identifier);
    ts.forEachChild(node, walk);
  };
  walk(file);
  return names;
}

function isDeclaration(node: ts.Node): node is ts.NamedDeclaration {
  const isShorthand = ts.isShorthandPropertyAssignment(node) || ts.isImportSpecifier(node);
  return "name" in node && !isShorthand && !ts.isPropertyAccessExpression(node) && !ts.isMetaProperty(node);
}

/** `#answersPerSecond` as `answers per second`. */
function wordsOf({ text }: ts.Identifier): string {
  return text
    .replace(/^[#_$]+/, "")
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, " ")
    .toLowerCase();
}

/** What was found in the list of names, at the position of its name in the file. */
function inName(file: ts.SourceFile, names: readonly ts.Identifier[], { line, message }: Found): Found {
  const name = names[line - 1];
  const start = file.getLineAndCharacterOfPosition(name?.getStart() ?? 0);
  return {
    line: start.line + 1,
    column: start.character + 1,
    message: `${message} (in the name \`${name?.text}\`)`,
  };
}

/** The source with everything but its prose blanked out, so that positions stay the same. */
function proseOf(file: ts.SourceFile): string {
  const source = file.text;
  const blank = blanked(source);
  const pieces = new Map<number, string>();
  const keep = (start: number, end: number) => pieces.set(start, withoutCode(source.slice(start, end)));

  const walk = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(source, node.pos) ?? []) keep(pos, end);
    for (const { pos, end } of ts.getTrailingCommentRanges(source, node.end) ?? []) keep(pos, end);
    if (isMessage(node)) keep(node.getStart(), node.end);
    node.getChildren().forEach(walk);
  };
  walk(file);

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

/** Without the marks of a comment or a string, and without the code in it. The comments of an example stay. */
function withoutCode(piece: string): string {
  return piece
    .replace(/```[\s\S]*?```/g, (example) => onlyIn(example, /(?<=\/\/ ).*/g, (comment) => comment))
    .replace(/(?<=.)`[^`\n]+`(?=.)/g, blanked)
    .replace(/^[ \t]*(?:\/\*\*?|\*\/?|\/\/)/gm, (mark) => " ".repeat(mark.length))
    .replace(/^["'`}]|["'`]$|\$\{$|\*\/$/g, (mark) => " ".repeat(mark.length));
}

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutFences } from "./markdown-links.js";

const EXTENSION = /\.(?:[cm]?[jt]sx?|json|jsonl|md|mdx|txt|svg|png|py|ya?ml|css|html|grit|tgz)$/;

const { name: own, scripts, exports: entries } = JSON.parse(readFileSync("package.json", "utf8"));

/** Files that a build makes: what `.gitignore` lists. */
const ignored = readFileSync(".gitignore", "utf8").match(/\S+/g) ?? [];

/**
 * The names in the code spans of a text that nothing has: files and folders, `npm run` scripts, and entry points of the
 * package. A name is searched in the folders of the text, and in those that its sentence or table row names. One lowercase
 * word is a folder, or one of `words`.
 */
export function missingNames(text: string, folders: readonly string[], words: readonly string[] = []) {
  return sentencesOf(withoutFences(text)).flatMap((sentence) => {
    const spans = [...sentence.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span.replace(/\s+/g, " "));
    const places = [...folders, ...folders.flatMap((folder) => foldersIn(folder, spans))];
    return spans
      .filter((span) => !words.includes(span))
      .flatMap((span) => [...scriptsIn(span), ...pathsIn(span, places)]);
  });
}

/** How many code spans of a text name a file or a folder. */
export function namedFiles(text: string): number {
  return [...withoutFences(text).matchAll(/`([^`\s]+)`/g)].filter(([, span = ""]) => isPath(span)).length;
}

/** A table row and a list item count as one sentence. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+(?=\S)|\n\s*\n|\n(?=[|-])/);
}

function foldersIn(folder: string, spans: readonly string[]): string[] {
  return spans
    .filter((span) => isPath(span) || isWord(span))
    .map((span) => join(folder, EXTENSION.test(span) ? dirname(span) : span));
}

/** The scripts that a command runs and `package.json` lacks. */
function scriptsIn(span: string): string[] {
  const called = [...span.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = ""]) => name);
  return called.filter((name) => !Object.hasOwn(scripts, name)).map((name) => `npm run ${name}`);
}

function pathsIn(span: string, folders: readonly string[]): string[] {
  if (!span.includes(" ")) return isName(span) && !exists(span, folders) ? [span] : [];
  const paths = (span.match(/[^\s"=]+/g) ?? []).filter((word) => isPath(word) && EXTENSION.test(word));
  return paths.filter((path) => !exists(path, ["."]));
}

function isName(span: string): boolean {
  return isPath(span) || isWord(span);
}

function isPath(span: string): boolean {
  if (/[():{}…]|^[@/]/.test(span)) return false;
  return EXTENSION.test(span) || (span.includes("/") && /^[\w./*<>[\]-]+$/.test(span));
}

function isWord(span: string): boolean {
  return /^[a-z][a-z:-]+$/.test(span);
}

function exists(name: string, folders: readonly string[]): boolean {
  if (name === own || Object.hasOwn(scripts, name)) return true;
  if (name.startsWith(`${own}/`)) return Object.hasOwn(entries, name.replace(own, "."));
  if (ignored.some((entry) => isBelow(name, entry))) return true;
  return folders.some((folder) => {
    const path = join(folder, name);
    return name.includes("*") ? globSync(path).length > 0 : existsSync(path);
  });
}

function isBelow(name: string, entry: string): boolean {
  const path = entry.replace(/^\/|\/$/g, "");
  return name === path || name.startsWith(`${path}/`);
}

import { printableLine, withoutCredentials } from "./text.js";

/**
 * A text for people, in which the names of options and fields may stand apart: the command line shows the names of its flags
 * instead.
 */
export type MessageText = string | readonly (string | { readonly name: string })[];

/**
 * The parts of an error's message, from which each reader makes its own text. They do not have the API key. Only `why` may end with a
 * text of the service, which may quote the request.
 */
export interface MessageParts {
  /** What happened, without a period. */
  readonly what: MessageText;
  /** Why, without a period. It may end with a text of the service or of other software. */
  readonly why?: string | undefined;
  /** What that means for the caller, such as "Nothing was sent.": each one is a sentence. */
  readonly facts?: readonly string[] | undefined;
  /** What to do, for every reader: each one is a sentence. */
  readonly advice?: readonly string[] | undefined;
  /** What to do in a program that uses the SDK: each one is a sentence, about functions and options. */
  readonly codeAdvice?: readonly string[] | undefined;
  /** Identifies the request in the service's records. */
  readonly requestId?: string | undefined;
}

/** What to do after an error, and what that means for the caller. */
export type Advice = Pick<MessageParts, "facts" | "advice" | "codeAdvice">;

/** The message: what happened, why, what to do, and the request ID. */
export function messageOf(
  { what, why, facts = [], advice = [], codeAdvice = [], requestId }: MessageParts,
  nameOf?: (name: string) => string,
): string {
  const happened = textOf(what, nameOf);
  const first = sentence(why === undefined ? happened : `${happened}: ${why}`);
  const last = requestId === undefined ? [] : [`(request ID ${requestId})`];
  return [first, ...facts, ...advice, ...codeAdvice, ...last].join(" ");
}

/** Names are shown as code, unless `nameOf` returns something else for them. */
export function textOf(text: MessageText, nameOf = (name: string) => `\`${name}\``): string {
  const parts = typeof text === "string" ? [text] : text;
  return parts.map((part) => (typeof part === "string" ? part : nameOf(part.name))).join("");
}

/** The parts without control characters and the passwords of URLs: they may quote the service. */
export function cleanParts(parts: MessageParts): MessageParts {
  const clean = (_: string, part: unknown) =>
    typeof part === "string" ? withoutCredentials(printableLine(part)) : part;
  return JSON.parse(JSON.stringify(parts), clean);
}

/** Ends a text with a period, unless it ends with its own mark, as a quoted question does. */
export function sentence(text: string): string {
  return ENDED.test(text) ? text : `${text}.`;
}

/** Joins texts to one or more sentences: with semicolons, except after a text that ends with its own mark. */
export function sentences(parts: readonly string[]): string {
  return sentence(parts.reduce((text, part) => `${text}${ENDED.test(text) ? " " : "; "}${part}`));
}

const ENDED = /[.?!…]$/;

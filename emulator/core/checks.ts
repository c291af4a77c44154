import * as z from "zod/mini";
import { type MessageText, textOf } from "../../src/contract/message.js";
import type { RequestIssue } from "../../src/contract/request-rules.js";
import { isRecord, ownOptions } from "../../src/contract/service.js";
import { nearestName } from "../../src/contract/text.js";
import { END_OF_YEAR_9999 } from "../time/clock.js";
import { RANGES } from "./ranges.js";

/** Asserts a condition that no request and no option can break. A failure is a defect of the emulator. */
export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new InvariantError(`Broken invariant: ${what}`);
}

class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Names are shown in messages up to this length. */
const LONGEST_SHOWN = 100;

/**
 * The form in which the IDs of accounts, keys, tasks and payments are compared: UUIDs are equal in any case. The emulator
 * creates them in lower case. Other IDs, those of clips and invoices, are compared as they are.
 */
export function normalizeId(id: string): string {
  return String(id).toLowerCase();
}

export class UnknownIdError extends RangeError {
  override readonly name = "UnknownIdError";

  constructor(kind: string, id: string, owner: "account" | null = null) {
    super(
      owner === null
        ? `No ${kind} has the ID ${id}. Check the ID; a reset or a restore removes earlier ones.`
        : `The ${owner} has no ${kind} with the ID ${id}. Check the ID and the ${owner}.`,
    );
  }
}

/** A value that does not fit. In process, a RangeError like any other. */
export class InvalidValueError extends RangeError {
  readonly #text: MessageText;
  readonly #issues: readonly RequestIssue[];

  constructor(text: MessageText, issues: readonly RequestIssue[]) {
    super(textOf(text));
    this.#text = text;
    this.#issues = issues;
  }

  /** The message, with the paths of options and fields apart. */
  get text(): MessageText {
    return this.#text;
  }

  /** The fields that do not fit. With its path before it, each message is a sentence without its period. */
  get issues(): readonly RequestIssue[] {
    return this.#issues;
  }
}

/** What is wrong with one field, as the rest of a sentence after its name. `got` is only for the message. */
export function invalidField(path: string, message: MessageText, got = ""): InvalidValueError {
  const subject = path === "" ? "The value" : { name: path };
  return new InvalidValueError([subject, " ", message, `${got}.`].flat(), [
    { path, message: textOf(message) },
  ]);
}

export function invalidValue(name: string, rule: string, got: unknown): InvalidValueError {
  return invalidField(name, `must ${rule}`, `; got ${shown(got)}`);
}

function shown(value: unknown): string {
  if (typeof value === "string") return `\`${value.slice(0, LONGEST_SHOWN)}\``;
  const json = typeof value === "object" ? JSON.stringify(value, asJson) : undefined;
  return (json ?? String(value)).slice(0, LONGEST_SHOWN);
}

/** Keeps what `JSON.stringify` throws for, or writes as null. */
function asJson(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/**
 * Returns a copy of the options that has every known name, `undefined` if none is set.
 *
 * @throws RangeError for an unknown name, with the nearest known one or all of them, and for an inherited option.
 */
export function checkOptionNames<Options extends object, Name extends keyof Options & string>(
  options: Options,
  known: readonly Name[],
): Options {
  if (typeof options !== "object" || options === null) throw invalidValue("options", "be an object", options);
  return ownOptions(options, known, (name, reason) =>
    reason === "unknown"
      ? unknownName("option", name, known, "")
      : new RangeError(`\`${name}\` must be an own property of the options; it is inherited.`),
  );
}

/**
 * Checks an option against its schema, whose messages complete "must …". With an empty name, messages name only
 * the parts of the value.
 *
 * @throws InvalidValueError whose message names the first part that does not fit
 */
export function parseOption<Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // A misspelled field is often missing under its right name, too.
  const unknown = issues.filter(({ code }) => code === "unrecognized_keys");
  const mistakes = findMistakes(name, value, unknown.length > 0 ? unknown : issues);
  const [first] = mistakes;
  invariant(first !== undefined, "a value that does not fit has a mistake");
  throw new InvalidValueError(
    first.text,
    mistakes.flatMap((mistake) => mistake.issues),
  );
}

/** Every part of a value that does not fit its schema, each as the error that `parseOption` throws if it is the only one. */
export function findMistakes(
  name: string,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
): InvalidValueError[] {
  const unknown = issues.filter((issue) => issue.code === "unrecognized_keys");
  const misspelled = new Set(unknown.map(({ path }) => fieldPath(path)));
  const seen = new Set<string>();
  return issues.flatMap((issue) => {
    const { path } = issue;
    // Several checks of one field may have the same rule.
    const isRepeated = seen.size === seen.add(`${fieldPath(path)} ${issue.message}`).size;
    if (isRepeated) return [];
    if (issue.code === "unrecognized_keys") {
      const known = knownNamesOf(issue);
      return issue.keys.map((key) => unknownName("field", key, known, fieldPath([name, ...path])));
    }
    const got = partOf(value, path);
    // Probably one mistake: the field has another name.
    if (got === undefined && misspelled.has(fieldPath(path.slice(0, -1)))) return [];
    return [invalidValue(fieldPath([name, ...path]), issue.message, got)];
  });
}

function partOf(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value);
}

/** `accounts[0].credits` */
function fieldPath(parts: readonly PropertyKey[]): string {
  const written = parts.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return written.join("").replace(/^\.+/, "");
}

/** @param parent - the path of the object that has the unknown name; empty for the value itself */
function unknownName(
  kind: "option" | "field",
  name: string,
  known: readonly string[],
  parent: string,
): InvalidValueError {
  const where = parent === "" ? [] : [" in ", { name: parent }];
  return new InvalidValueError(
    [
      `Unknown ${kind} \`${name.slice(0, LONGEST_SHOWN)}\``,
      ...where,
      `. ${adviceForMistake(kind, name, known)}`,
    ],
    [{ path: fieldPath([parent, name]), message: "is unknown" }],
  );
}

export function adviceForMistake(
  kind: "option" | "field" | "parameter",
  name: string,
  known: readonly string[],
): string {
  const nearest = nearestName(name.slice(0, LONGEST_SHOWN), known);
  return nearest === null ? `Known ${kind}s: ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
}

/** The schemas that are components, by these names, in the OpenAPI document of the control plane. */
export const NAMED = z.registry<{ id: string }>();

/** The names that an object knows, by the list of the unknown ones: an issue has no field for them. */
const knownNames = new WeakMap<readonly string[], readonly string[]>();

function knownNamesOf({ keys }: z.core.$ZodIssueUnrecognizedKeys): readonly string[] {
  return knownNames.get(keys) ?? [];
}

/** An object with these fields and no others. */
export function objectOf<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === "unrecognized_keys") knownNames.set(issue.keys, Object.keys(shape));
      return "be an object";
    },
  });
}

/** The whole with these changes. */
export function withChanges<Whole extends object>(
  whole: Whole,
  changes: { [Name in keyof Whole]?: Whole[Name] | undefined } | undefined,
): Whole {
  const changed = Object.entries(changes ?? {}).filter(([, value]) => value !== undefined);
  return { ...whole, ...Object.fromEntries(changed) };
}

/** An object of one of these schemas, which its discriminator selects. */
export function unionBy<
  const Discriminator extends string,
  const Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(discriminator: Discriminator, options: Options) {
  const choices = options.flatMap((option) => [...(option._zod.propValues?.[discriminator] ?? [])]);
  return z.discriminatedUnion(discriminator, options, {
    error: ({ input }) => (isRecord(input) ? `be one of ${choices.join(", ")}` : "be an object"),
  });
}

export function oneOf<const Choices extends readonly string[]>(...choices: Choices) {
  return z.enum(choices, `be one of ${choices.join(", ")}`);
}

export function wholeNumber(least: number, most: number) {
  const rule = `be a whole number from ${least} to ${most}`;
  return z.int(rule).check(z.gte(least, rule), z.lte(most, rule));
}

export function numberBetween(least: number, most: number) {
  const rule = `be a number from ${least} to ${most}`;
  return z.number(rule).check(z.gte(least, rule), z.lte(most, rule));
}

export const text = z.string("be a string");
export const flag = z.boolean("be true or false");
export const count = wholeNumber(0, Number.MAX_SAFE_INTEGER);
export const integer = wholeNumber(...RANGES.seed);
/** Milliseconds since the epoch. Times derived from it, such as the end of the longest task, are still valid dates. */
export const time = numberBetween(-8.64e15, END_OF_YEAR_9999);
export const uuid = z.uuid("be a UUID");
export const webUrl = z.url({ protocol: /^https?$/, error: "be a URL" });
export const isoTimeSchema = z.iso.datetime("be an ISO 8601 time");

/** What is wrong with one field, in words that continue a sentence after its path. */
export const issueSchema = z.object({ path: text, message: text }).register(NAMED, { id: "Issue" });

export function list<Item extends z.core.SomeType>(item: Item) {
  return z.array(item, "be a list");
}

export function recordSchema<Value extends z.core.SomeType>(value: Value) {
  return z.record(z.string(), value, "be an object");
}

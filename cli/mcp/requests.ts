import * as z from "zod/mini";
import { DESCRIBED_INPUTS, type DescribedInput, noteOf, toolNames } from "../../src/contract/input-texts.js";
import { chosenMode, type FieldRule } from "../../src/contract/inputs.js";
import { orList } from "../../src/contract/request-rules.js";
import { capitalized } from "../../src/contract/text.js";
import * as sdk from "../../src/index.js";
import { uncheckedRequest } from "../request.js";
import { ToolRefusal } from "./refusal.js";

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of every tool that creates a task; each has others beside them. */
export interface PaidArguments extends Arguments {
  readonly order: string;
  readonly max_credits?: number | undefined;
}

/** A tool that creates a task. */
export interface CreatingTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: z.ZodMiniType<PaidArguments>;
  /** The arguments as an element of a batch, where `tool` names this tool. */
  readonly batchSchema: z.ZodMiniObject<{ tool: z.ZodMiniLiteral<string> }>;
  /** The request of checked arguments. @throws Refusal an argument would be ignored, or one is missing */
  requestOf(given: Arguments): sdk.TaskRequest;
}

export const ORDER = {
  order: z
    .string()
    .check(
      z.regex(/\S/, "must not be blank"),
      z.refine(canBeArgument, "must not contain U+0000 or half a surrogate pair"),
      z.describe(
        "Your name for this result. Repeat the call with the same order to continue with it; it is charged once.",
      ),
    ),
};

/** Otherwise no shell could pass the name to `settle`. */
function canBeArgument(order: string): boolean {
  return !order.includes("\0") && !/\p{Surrogate}/u.test(order);
}

const MAX_CREDITS = "The most that this call may cost, in credits. Default: what the server may spend.";

const PAID = {
  ...ORDER,
  max_credits: z.optional(z.number().check(z.nonnegative(), z.describe(MAX_CREDITS))),
};

const AUDIO_FORMAT = z.optional(
  z.literal("mp3").check(z.describe("Request MP3. Default: the format of the provider.")),
);

/** The tools that create tasks: one for each tool that a kind of `input` names. */
export function creatingTools(inputs: readonly DescribedInput[] = DESCRIBED_INPUTS): CreatingTool[] {
  return toolNames(inputs).map((name) =>
    creatingTool(
      name,
      inputs.filter(({ texts }) => texts.tool === name),
    ),
  );
}

/** The most orders of one batch: their results have to fit into a model's context. */
const MOST_ORDERS = 50;

/** An order of a batch: the arguments of one of the tools, which `tool` names. */
export interface BatchedArguments extends Arguments {
  readonly tool: string;
  readonly order: string;
}

/** The arguments of the tool for several orders at once. */
export function batchArguments(tools: readonly CreatingTool[]) {
  const [first, ...others] = tools.map(({ batchSchema }) => batchSchema);
  if (first === undefined) throw new RangeError("there is no tool");
  const orders = z
    .array(z.discriminatedUnion("tool", [first, ...others]))
    .check(
      z.minLength(1),
      z.maxLength(MOST_ORDERS),
      z.describe("The orders, each with the arguments of the tool that `tool` names."),
    );
  const max_credits = z.optional(
    z.number().check(z.nonnegative(), z.describe("The most that all orders of this call may cost together.")),
  );
  const schema: z.ZodMiniType<{ orders: BatchedArguments[]; max_credits?: number | undefined }> =
    z.strictObject({ orders: uncheckedOrders(orders), max_credits });
  return schema;
}

/** The request of an order of a batch. @throws Refusal an argument would be ignored, or one is missing */
export function requestOfTool(tools: readonly CreatingTool[], given: BatchedArguments): sdk.TaskRequest {
  const tool = tools.find(({ name }) => name === given.tool);
  if (tool === undefined) throw new RangeError(`there is no tool ${given.tool}`);
  return tool.requestOf(given);
}

/** The boundary: every element has passed the schema of its tool, which requires `tool` and `order`. */
function uncheckedOrders(schema: z.ZodMiniType): z.ZodMiniType<BatchedArguments[]> {
  return schema as z.ZodMiniType<BatchedArguments[]>;
}

function creatingTool(name: string, kinds: readonly DescribedInput[]): CreatingTool {
  const models = sdk.MODELS.filter((model) => kinds.some((each) => each.model === model));
  const names = new Set(kinds.flatMap((kind) => Object.keys(argumentsOf(kind))));
  const fields = [...names].map((each) => [each, argumentSchema(each, kinds)] as const);
  const hasAudio = kinds.some((kind) => kind.task_type !== "lyrics");
  const shape = {
    ...(models.length > 1 && {
      model: z.optional(z.enum(sdk.MODELS).check(z.describe(`Default: ${models[0]}.`))),
    }),
    ...Object.fromEntries(fields),
    ...(hasAudio && { audio_format: AUDIO_FORMAT }),
  };
  return {
    name,
    title: capitalized(name).replaceAll("_", " "),
    description:
      `Creates ${kinds.map(({ texts, credits }) => `${texts.result}, for ${credits} credits`).join("; or ")}. ` +
      "Returns the result, or after 50 s a receipt: then call `check_order`.",
    inputSchema: z.strictObject({ ...PAID, ...shape }),
    batchSchema: z.strictObject({ tool: z.literal(name), ...ORDER, ...shape }),
    requestOf: ({ tool, order, max_credits, model = models[0], audio_format, ...given }) =>
      requestFromArguments(
        kinds,
        model,
        withoutBlanks(given),
        audio_format === undefined ? {} : { audio_format },
      ),
  };
}

/** The argument that sets a field. It has one meaning, whatever the field that it becomes. */
function argumentOf({ texts }: DescribedInput, field: string): string {
  return texts.fields[field]?.argument ?? field;
}

/** The fields that agents set, by their arguments. */
function argumentsOf(kind: DescribedInput): Readonly<Record<string, string>> {
  const settable = Object.keys(kind.fields).filter((field) => kind.texts.fields[field]?.argument !== null);
  return Object.fromEntries(settable.map((field) => [argumentOf(kind, field), field]));
}

/** Fields that other arguments decide, too. The interface does not state the provider's default of `lyrics_type`. */
const DECIDED: Readonly<Record<string, (given: Arguments) => unknown>> = {
  lyrics_type: ({ instrumental, lyrics }) =>
    instrumental === true ? "instrumental" : lyrics === undefined ? "generate" : "user",
};

function argumentSchema(name: string, kinds: readonly DescribedInput[]): z.ZodMiniType {
  const users = kinds.filter((kind) => name in argumentsOf(kind));
  const described = users.flatMap((kind) => {
    const field = argumentsOf(kind)[name] ?? "";
    const [rule, text] = [kind.fields[field], kind.texts.fields[field]];
    if (rule === undefined || text === undefined || field in DECIDED) return [];
    const note = rule.type === "any" ? "" : noteOf(rule, text);
    return { rule, result: kind.texts.result, text: `${text.description} ${note}`.trim() };
  });
  const [first] = described;
  const isSame = described.every(({ text }) => text === first?.text);
  const meaning = isSame
    ? first?.text
    : described.map(({ result, text }) => `For ${result}: ${text}`).join(" ");
  const others = kinds.filter((kind) => !users.includes(kind)).map(({ texts }) => texts.result);
  const exception = others.length === 0 ? "" : ` Not for ${orList(others)}.`;
  const isRequired = kinds.every((kind) => requiredBy(kind).includes(name));
  const schema = valueSchema(first?.rule ?? { type: "any" }, isRequired).check(
    z.describe(`${meaning}${exception}`),
  );
  return isRequired ? schema : z.optional(schema);
}

/** An argument of any type becomes a string: a model would nest other values. */
function valueSchema({ type, choices, minimum, maximum }: FieldRule, isRequired: boolean): z.ZodMiniType {
  if (type === "boolean") return z.boolean();
  if (type === "integer" || type === "number") {
    const schema = type === "integer" ? z.int() : z.number();
    return schema.check(
      ...(minimum === undefined ? [] : [z.minimum(minimum)]),
      ...(maximum === undefined ? [] : [z.maximum(maximum)]),
    );
  }
  if (choices !== undefined) return z.enum(choices);
  // Models fill arguments that they don't use with empty strings.
  return isRequired ? z.string().check(z.regex(/\S/, "must not be blank")) : z.string();
}

/** The arguments that a kind needs. */
function requiredBy(kind: DescribedInput): string[] {
  const required = Object.keys(kind.fields).filter((field) => kind.fields[field]?.isRequired === true);
  return required.map((field) => argumentOf(kind, field));
}

/** The request that the arguments describe: of the last of the model's kinds that they choose. */
function requestFromArguments(
  kinds: readonly DescribedInput[],
  model: unknown,
  given: Arguments,
  options: object,
) {
  if (given["instrumental"] === true && given["lyrics"] !== undefined)
    throw refusal("`lyrics` are not sung in an instrumental. Remove `lyrics`, or remove `instrumental`.");
  const modes = kinds.filter((kind) => kind.model === model);
  const choosersOf = (kind: DescribedInput) =>
    kind.chosenBy === undefined ? [] : [argumentOf(kind, kind.chosenBy)];
  const choosing = modes.flatMap((each) => choosersOf(each).map((name) => [each.chosenBy, given[name]]));
  const kind = chosenMode(modes, Object.fromEntries(choosing)) ?? modes[0];
  if (kind === undefined) throw refusal(`${model} does not offer this. Pass another \`model\`.`);

  const fields = argumentsOf(kind);
  const unusable = Object.keys(given).find((name) => !(name in fields));
  if (unusable !== undefined) {
    const [chooser] = choosersOf(kind);
    const other = kinds.find((each) => unusable in argumentsOf(each))?.model;
    throw refusal(
      other === model && chooser !== undefined
        ? `\`${unusable}\` would be ignored beside \`${chooser}\`. Remove one of them.`
        : `\`${unusable}\` is an argument of ${other}. Remove it, or pass \`model: ${other}\`.`,
    );
  }
  const missing = requiredBy(kind).find((name) => given[name] === undefined);
  if (missing !== undefined) throw refusal(`\`${missing}\` is missing. Pass it for ${kind.texts.result}.`);
  const oneOf = (kind.oneOf ?? []).map((field) => argumentOf(kind, field));
  if (oneOf.length > 0 && oneOf.every((name) => given[name] === undefined)) {
    const names = [...modes.flatMap(choosersOf), ...oneOf].map((name) => `\`${name}\``);
    throw refusal(`The request describes nothing. Pass ${orList(names)}.`);
  }

  const set = Object.entries(fields).map(([name, field]) => [field, DECIDED[field]?.(given) ?? given[name]]);
  const input = Object.fromEntries(set.filter(([, value]) => value !== undefined));
  return uncheckedRequest({ model, task_type: kind.task_type, ...options, input });
}

function refusal(reason: string): ToolRefusal {
  return new ToolRefusal(`${reason} Nothing was sent or charged. Then call again with the same order.`);
}

function withoutBlanks(given: Arguments): Arguments {
  const filled = Object.entries(given).filter(([, value]) => typeof value !== "string" || /\S/.test(value));
  return Object.fromEntries(filled);
}

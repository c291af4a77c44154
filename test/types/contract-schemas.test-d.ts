import type * as sdk from "async-music";
import { expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type { INPUTS } from "../../src/contract/inputs.js";
import type {
  balanceSchema,
  clipSchema,
  resultSchemas,
  taskOutputSchema,
  taskSchema,
  taskSubmissionSchema,
  usageSchema,
} from "../../src/contract/responses.js";

/** The fields that a type names, without its index signature. */
type Named<Whole> = {
  [Name in keyof Whole as string extends Name ? never : number extends Name ? never : Name]: Whole[Name];
};

/** A type without some of its fields. */
type Without<Whole, Names extends keyof Whole> = {
  [Name in keyof Whole as Exclude<Name, Names>]: Whole[Name];
};

/** The fields that a schema names: it also accepts others. */
type Checked<Schema extends z.ZodMiniType> = Named<z.output<Schema>>;

/** A type whose lists of strings are open: a schema accepts every string where a later version may add one. */
type Open<Whole> = {
  [Name in keyof Whole]: [Extract<Whole[Name], string>] extends [never]
    ? Whole[Name]
    : string | Exclude<Whole[Name], string>;
};

/** The names of the fields that must be absent. */
type Forbidden<Whole> = {
  [Name in keyof Whole]-?: Exclude<Whole[Name], undefined> extends sdk.Forbidden<string> ? Name : never;
}[keyof Whole];

/** The names of the fields that may be present, of each member of a union. */
type Allowed<Whole> = Whole extends unknown ? Exclude<keyof Whole, Forbidden<Whole>> : never;

type FieldsOf<Provider extends sdk.Model> = Allowed<Extract<sdk.TaskRequest, { model: Provider }>["input"]>;

type Inputs = typeof INPUTS;
type Kind = keyof Inputs;

/** The task types beside music. Each has one kind of input, with its own name. */
type OtherType = Exclude<sdk.TaskType, "music">;

type InputOf<Type extends sdk.TaskType> = Extract<sdk.TaskRequest, { task_type: Type }>["input"];

/** The type of the values that a rule accepts. */
type ValueOf<Rule> = Rule extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Rule extends { type: "any" }
    ? sdk.JsonValue
    : Rule extends { type: "number" | "integer" }
      ? number
      : Rule extends { type: "boolean" }
        ? boolean
        : string;

type RequiredNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { isRequired: true } ? Name : never;
}[keyof Fields];

/** An input as the table declares it. */
type Input<Name extends Kind, Fields = Inputs[Name]["fields"]> = Flat<
  { -readonly [Field in RequiredNames<Fields>]: ValueOf<Fields[Field]> } & {
    -readonly [Field in Exclude<keyof Fields, RequiredNames<Fields>>]?: ValueOf<Fields[Field]> | undefined;
  }
>;

type Flat<Whole> = { [Name in keyof Whole]: Whole[Name] };

/** The fields that a mode accepts and does not read. */
type Ignored<Name extends Kind> = Inputs[Name] extends { ignored: readonly (infer Field extends string)[] }
  ? Field
  : never;

/** The names of all fields of a model, of all its task types. */
type OfModel<Provider extends sdk.Model> = {
  [Name in Kind]: Inputs[Name]["model"] extends Provider ? keyof Inputs[Name]["fields"] : never;
}[Kind];

test("the types of balance, usage and lyrics are those that their schemas return", () => {
  expectTypeOf<Checked<typeof balanceSchema>>().toEqualTypeOf<sdk.Balance>();
  expectTypeOf<Checked<typeof usageSchema>>().toEqualTypeOf<sdk.Usage>();
  expectTypeOf<Checked<typeof resultSchemas.lyrics>>().toEqualTypeOf<sdk.Lyrics>();
});

test("a submission has the fields of its schema, which accepts statuses and types that are not listed", () => {
  expectTypeOf<Checked<typeof taskSubmissionSchema>>().toEqualTypeOf<Open<sdk.TaskSubmission>>();
});

test("a task has the fields of its schema, which accepts values that are not listed", () => {
  type Fields = Checked<typeof taskSchema>;
  type Unchecked = "input" | "output";
  expectTypeOf<Without<Fields, Unchecked>>().toEqualTypeOf<
    Open<Without<sdk.TaskFields<sdk.TaskType>, Unchecked>>
  >();
  expectTypeOf<Fields["output"]>().toEqualTypeOf<z.output<typeof taskOutputSchema> | null>();
  expectTypeOf<Fields["output"]>().toExtend<sdk.TaskFields<sdk.TaskType>["output"]>();
});

test("a task of every type and status is one of the union", () => {
  expectTypeOf<sdk.Task["type"]>().toEqualTypeOf<sdk.TaskType | sdk.Unlisted>();
  expectTypeOf<sdk.Task["status"]>().toEqualTypeOf<sdk.TaskStatus | sdk.Unlisted>();
  type Rest = Without<sdk.TaskFields<sdk.TaskType>, "status">;
  expectTypeOf<Without<sdk.UnfinishedTaskOf<sdk.TaskType, "pending">, "status">>().toEqualTypeOf<Rest>();
  expectTypeOf<Without<sdk.FailedTaskOf<sdk.TaskType, "failure">, "status">>().toEqualTypeOf<Rest>();
  expectTypeOf<Without<sdk.SucceededTaskOf<sdk.TaskType>, "status" | "output">>().toEqualTypeOf<
    Without<Rest, "output">
  >();
});

test("an output has the result that the schema checks, and unchecked reports of the provider", () => {
  type Unchecked = "task_type" | "status" | "progress" | "fail_reason";
  expectTypeOf<Required<Without<sdk.TaskOutput, Unchecked>>>().toEqualTypeOf<
    Checked<typeof taskOutputSchema>
  >();
  expectTypeOf<Without<sdk.SucceededOutput<sdk.TaskType>, "result">>().toEqualTypeOf<
    Without<sdk.TaskOutput, "result">
  >();
});

test("the result of each type is what its schema returns, and each clip has the fields of every clip", () => {
  type Unchecked = "image_url" | "image_large_url" | "title" | "metadata";
  expectTypeOf<Without<sdk.Clip, Unchecked>>().toEqualTypeOf<Checked<typeof clipSchema>>();
  type WithClips = Exclude<sdk.TaskType, "lyrics">;
  type ClipsOf<Type extends WithClips> = Named<z.output<(typeof resultSchemas)[Type]>[number]>;
  expectTypeOf<ClipsOf<WithClips>>().toEqualTypeOf<Without<sdk.Clip, Unchecked>>();
  expectTypeOf<sdk.TaskResults>().toEqualTypeOf<{
    [Type in sdk.TaskType]: Type extends "lyrics" ? sdk.Lyrics : sdk.Clip[];
  }>();
});

test("an input has the fields of the table, those that its mode ignores and those that it forbids", () => {
  type Read<Whole, Name extends Kind> = Flat<Omit<Whole, Ignored<Name> | Forbidden<Whole>>>;
  expectTypeOf<Read<sdk.InspirationInput, "inspiration">>().toEqualTypeOf<Input<"inspiration">>();
  expectTypeOf<Read<sdk.CustomFields, "custom">>().toEqualTypeOf<Input<"custom">>();
  expectTypeOf<sdk.CustomInput>().toExtend<Input<"custom">>();
  expectTypeOf<Read<sdk.ContinuationInput, "continuation">>().toEqualTypeOf<Input<"continuation">>();
  expectTypeOf<Read<sdk.ProviderBMusicInput, "provider_b">>().toEqualTypeOf<Input<"provider_b">>();
  expectTypeOf<{ [Type in OtherType]: Read<InputOf<Type>, Type> }>().toEqualTypeOf<{
    [Type in OtherType]: Input<Type>;
  }>();
});

test("an input lists each field that its mode ignores", () => {
  expectTypeOf<Ignored<"inspiration">>().toExtend<Allowed<sdk.InspirationInput>>();
  expectTypeOf<Ignored<"continuation">>().toExtend<Allowed<sdk.ContinuationInput>>();
});

test("the fields that an input forbids are those of the other model", () => {
  type OfProviderA = Exclude<OfModel<"provider_a">, OfModel<"provider_b">>;
  type OfProviderB = Exclude<OfModel<"provider_b">, OfModel<"provider_a">>;
  expectTypeOf<Exclude<FieldsOf<"provider_a">, FieldsOf<"provider_b">>>().toEqualTypeOf<OfProviderA>();
  expectTypeOf<Exclude<FieldsOf<"provider_b">, FieldsOf<"provider_a">>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<keyof sdk.NoProviderAFields>().toEqualTypeOf<OfProviderA>();
  expectTypeOf<keyof sdk.NoProviderBFields>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<Forbidden<sdk.ContinuationInput>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<Forbidden<sdk.InspirationInput>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<Forbidden<sdk.CustomFields>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<{ [Type in OtherType]: Forbidden<InputOf<Type>> }>().toEqualTypeOf<{
    [Type in OtherType]: OfProviderB;
  }>();
  expectTypeOf<Forbidden<sdk.ProviderBMusicInput>>().toEqualTypeOf<OfProviderA>();
});

test("a request names every model and task type of the table", () => {
  expectTypeOf<sdk.TaskRequest["model"]>().toEqualTypeOf<sdk.Model>();
  expectTypeOf<sdk.TaskRequest["task_type"]>().toEqualTypeOf<sdk.TaskType>();
  expectTypeOf<Inputs[Kind]["model"]>().toEqualTypeOf<sdk.Model>();
  expectTypeOf<Inputs[Kind]["task_type"]>().toEqualTypeOf<sdk.TaskType>();
  expectTypeOf<sdk.TaskRequest["input"]>().toExtend<Flat<Input<Kind>>>();
});

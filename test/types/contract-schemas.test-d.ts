import type {
  Forbidden as Absent,
  Balance,
  Clip,
  ConcatInput,
  ContinuationInput,
  CustomFields,
  CustomInput,
  FailedTaskOf,
  InspirationInput,
  Lyrics,
  LyricsInput,
  Model,
  NoProviderAFields,
  NoProviderBFields,
  ProviderBMusicInput,
  SucceededOutput,
  SucceededTaskOf,
  Task,
  TaskFields,
  TaskOutput,
  TaskRequest,
  TaskResults,
  TaskStatus,
  TaskSubmission,
  TaskType,
  UnfinishedTaskOf,
  Unlisted,
  UploadInput,
  Usage,
} from "async-music";
import { expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type { inputSchemas, PROVIDER_A_FIELDS, PROVIDER_B_FIELDS } from "../../src/contract/request-rules.js";
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
  [Name in keyof Whole]-?: Exclude<Whole[Name], undefined> extends Absent<string> ? Name : never;
}[keyof Whole];

/** The names of the fields that may be present, of each member of a union. */
type Allowed<Whole> = Whole extends unknown ? Exclude<keyof Whole, Forbidden<Whole>> : never;

type FieldsOf<Provider extends Model> = Allowed<Extract<TaskRequest, { model: Provider }>["input"]>;

type Input<Variant extends keyof typeof inputSchemas> = Named<z.input<(typeof inputSchemas)[Variant]>>;

test("the types of balance, usage and lyrics are those that their schemas return", () => {
  expectTypeOf<Checked<typeof balanceSchema>>().toEqualTypeOf<Balance>();
  expectTypeOf<Checked<typeof usageSchema>>().toEqualTypeOf<Usage>();
  expectTypeOf<Checked<typeof resultSchemas.lyrics>>().toEqualTypeOf<Lyrics>();
});

test("a submission has the fields of its schema, which accepts statuses and types that are not listed", () => {
  expectTypeOf<Checked<typeof taskSubmissionSchema>>().toEqualTypeOf<Open<TaskSubmission>>();
});

test("a task has the fields of its schema, which accepts values that are not listed", () => {
  type Fields = Checked<typeof taskSchema>;
  expectTypeOf<Without<Fields, "output">>().toEqualTypeOf<Open<Without<TaskFields<TaskType>, "output">>>();
  expectTypeOf<Fields["output"]>().toEqualTypeOf<z.output<typeof taskOutputSchema> | null>();
  expectTypeOf<Fields["output"]>().toExtend<TaskFields<TaskType>["output"]>();
});

test("a task of every type and status is one of the union", () => {
  expectTypeOf<Task["type"]>().toEqualTypeOf<TaskType | Unlisted>();
  expectTypeOf<Task["status"]>().toEqualTypeOf<TaskStatus | Unlisted>();
  type Rest = Without<TaskFields<TaskType>, "status">;
  expectTypeOf<Without<UnfinishedTaskOf<TaskType>, "status">>().toEqualTypeOf<Rest>();
  expectTypeOf<Without<FailedTaskOf<TaskType>, "status">>().toEqualTypeOf<Rest>();
  expectTypeOf<Without<SucceededTaskOf<TaskType>, "status" | "output">>().toEqualTypeOf<
    Without<Rest, "output">
  >();
});

test("an output has the result that the schema checks, and unchecked reports of the provider", () => {
  type Unchecked = "task_type" | "status" | "progress" | "fail_reason";
  expectTypeOf<Required<Without<TaskOutput, Unchecked>>>().toEqualTypeOf<Checked<typeof taskOutputSchema>>();
  expectTypeOf<Without<SucceededOutput<TaskType>, "result">>().toEqualTypeOf<Without<TaskOutput, "result">>();
});

test("the result of each type is what its schema returns, and each clip has the fields of every clip", () => {
  type Unchecked = "image_url" | "image_large_url" | "title" | "metadata";
  expectTypeOf<Without<Clip, Unchecked>>().toEqualTypeOf<Checked<typeof clipSchema>>();
  type ClipsOf<Type extends "music" | "upload" | "concat"> = Named<
    z.output<(typeof resultSchemas)[Type]>[number]
  >;
  expectTypeOf<ClipsOf<"music" | "upload" | "concat">>().toEqualTypeOf<Without<Clip, Unchecked>>();
  expectTypeOf<TaskResults>().toEqualTypeOf<{
    music: Clip[];
    lyrics: Lyrics;
    upload: Clip[];
    concat: Clip[];
  }>();
});

test("the fields of an input are those of its schema, those that its mode ignores and those that it forbids", () => {
  type Read<Whole, Ignored extends keyof Whole = never> = Omit<Whole, Ignored | Forbidden<Whole>>;
  expectTypeOf<Read<InspirationInput, "prompt" | "tags" | "title">>().toEqualTypeOf<Input<"inspiration">>();
  expectTypeOf<Read<CustomFields, "title">>().toEqualTypeOf<Omit<Input<"custom">, "title">>();
  expectTypeOf<CustomInput>().toExtend<Input<"custom">>();
  type Ignored = "gpt_description_prompt" | "tags" | "negative_tags" | "make_instrumental";
  expectTypeOf<Read<ContinuationInput, Ignored | "title">>().toEqualTypeOf<
    Omit<Input<"continuation">, "title">
  >();
  expectTypeOf<Read<ProviderBMusicInput>>().toEqualTypeOf<Input<"provider_b">>();
  expectTypeOf<LyricsInput>().toEqualTypeOf<Input<"lyrics">>();
  expectTypeOf<UploadInput>().toEqualTypeOf<Input<"upload">>();
  expectTypeOf<ConcatInput>().toEqualTypeOf<Input<"concat">>();
});

test("the fields that an input forbids are those of the other model", () => {
  type OfProviderA = (typeof PROVIDER_A_FIELDS)[number];
  type OfProviderB = (typeof PROVIDER_B_FIELDS)[number];
  expectTypeOf<Exclude<FieldsOf<"provider_a">, FieldsOf<"provider_b">>>().toEqualTypeOf<OfProviderA>();
  expectTypeOf<Exclude<FieldsOf<"provider_b">, FieldsOf<"provider_a">>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<keyof NoProviderAFields>().toEqualTypeOf<OfProviderA>();
  expectTypeOf<keyof NoProviderBFields>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<Forbidden<ContinuationInput>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<Forbidden<InspirationInput>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<Forbidden<CustomFields>>().toEqualTypeOf<OfProviderB>();
  expectTypeOf<Forbidden<ProviderBMusicInput>>().toEqualTypeOf<OfProviderA>();
});

test("a request names every model and task type, and has an input that the schemas accept", () => {
  expectTypeOf<TaskRequest["model"]>().toEqualTypeOf<Model>();
  expectTypeOf<TaskRequest["task_type"]>().toEqualTypeOf<TaskType>();
  expectTypeOf<TaskRequest["input"]>().toExtend<Input<keyof typeof inputSchemas>>();
});

import { section } from "./section.js";

const INSPIRATION = "spec/tables/requests/inspiration";
const CUSTOM = "spec/tables/requests/custom";
const CONTINUATION = "spec/tables/requests/continuation";
const OTHER = "spec/tables/requests/other-tasks";
const PROVIDER_B = "spec/tables/requests/provider-b";
const FORMAT = "spec/tables/requests/audio-format";
const ENVELOPE = "spec/tables/requests/envelope";
const NO_EFFECT = "spec/tables/no-effect";

export const REQUESTS = [
  section("Resources and their fields", [
    1,
    "success has a code and data",
    "spec/endpoints: $method $path answers $success with exactly the documented data",
  ]),
  section(
    "Task creation request",
    ["row model", "required, one of two", `${ENVELOPE}: no model`, `${ENVELOPE}: a model of a later day`],
    [
      "row task_type",
      "required, one that the model has",
      `${ENVELOPE}: no task type`,
      `${ENVELOPE}: an unknown task type`,
    ],
    ["row input", "required, an object", `${ENVELOPE}: no input`, `${ENVELOPE}: an input that is a list`],
    [
      "row audio_format",
      "mp3 or nothing, for every task",
      `${FORMAT}: mp3 of an upload`,
      `${FORMAT}: mp3 of lyrics, echoed only`,
      `${NO_EFFECT}: an audio format of lyrics`,
      "policy: null_audio_format",
    ],
    [1, "extras pass", `${ENVELOPE}: an extra at the root`, `${ENVELOPE}: an extra inside the input`],
    [
      2,
      "extras control nothing",
      `${NO_EFFECT}: an extra at the root`,
      `${NO_EFFECT}: an extra inside the input`,
    ],
    [
      3,
      "checks come before effects",
      "spec/requests: the emulator refuses what the interface forbids, and nothing changes",
    ],
    [
      4,
      "what is invalid changes nothing",
      "spec/requests: the emulator refuses what the interface forbids, and nothing changes",
      "emulator/ledger: a request that is refused changes nothing but the log, the window and the position of chance",
    ],
  ),
  section(
    "audio_format behaviour",
    [1, "left out: the provider's file", "spec/audio: omitted, of WAV"],
    [2, "in whatever format", "spec/audio: omitted, of MP3"],
    [
      3,
      "which changes with the provider",
      "spec/audio: omitted, of MP3",
      "contract/suite/audio: of provider_b is MP3, is read in parts, and is gone after seven days, but its cover is not",
    ],
    [4, "mp3: the audio is MP3", "spec/audio: mp3, of WAV"],
    [5, "MP3 passes without a new encoding", "spec/audio: delivers as it is what is MP3 already"],
    [
      6,
      "a failed conversion is a success",
      "spec/audio: mp3, where the conversion fails",
      "policy: audio_conversion",
    ],
    [7, "of the source, in its own format", "spec/audio: mp3, where the conversion fails"],
    [8, "the request is echoed, or null", "spec/requests: $section: $name", "spec/audio: $name: $type"],
    [9, "the echo tells nothing of the outcome", "spec/audio: mp3, where the conversion fails"],
    [
      10,
      "Content-Type alone tells the format",
      "spec/audio: $name: $type",
      "sdk/audio/format: %j is a file with the extension %s, whatever its address and its bytes say",
    ],
    [11, "other values are refused, unpaid", `${FORMAT}: wav`, "policy: invalid_audio_format_status"],
    [
      12,
      "switched off, it is refused",
      "spec/tables/policies: conversion switched off, when mp3 is asked for",
      "policy: audio_format_unavailable_status",
    ],
    [
      13,
      "leaving it out then works",
      "spec/tables/policies: conversion switched off, when no format is asked for",
      "emulator/audio-serving: with conversion switched off, asking for it is refused, and not asking yields the provider's file",
    ],
  ),
  section(
    "Input for provider_a, task music",
    [1, "a clip to continue: continuation", `${CONTINUATION}: a clip and a description, ignored`],
    [2, "else a description: inspiration", `${INSPIRATION}: lyrics, ignored`],
    [3, "else custom", `${CUSTOM}: lyrics alone`],
    [4, "nothing of them all is a 400", `${CUSTOM}: nothing`, `${CUSTOM}: neither lyrics nor styles`],
    [
      "row gpt_description_prompt",
      "where it must, may and must not be",
      `${INSPIRATION}: a blank description`,
      `${CONTINUATION}: an ignored description of another type`,
      `${NO_EFFECT}: a description in continuation mode`,
    ],
    [
      "row prompt",
      "lyrics, but for inspiration",
      `${INSPIRATION}: ignored lyrics of another type`,
      `${CONTINUATION}: continuation lyrics`,
      `${NO_EFFECT}: lyrics in inspiration mode`,
    ],
    [
      "row tags",
      "styles, in custom mode",
      `${CUSTOM}: styles that are a list`,
      `${NO_EFFECT}: styles in inspiration mode`,
      `${NO_EFFECT}: styles in continuation mode`,
    ],
    [
      "row negative_tags",
      "text, but for continuation",
      `${CUSTOM}: styles to avoid that are a list`,
      `${CONTINUATION}: styles to avoid, ignored`,
      `${NO_EFFECT}: styles to avoid in continuation mode`,
    ],
    [
      "row title",
      "anything, made a string",
      `${CUSTOM}: a title that is an object`,
      "spec/tasks: that are %s stand on the clip as text, and in the input as they came",
      "spec/tasks: that a mode ignores do not stand on the clip",
    ],
    [
      "row make_instrumental",
      "a boolean, false by default",
      `${CUSTOM}: make_instrumental as text`,
      `${NO_EFFECT}: make_instrumental as it is by default`,
      `${NO_EFFECT}: no singing in continuation mode`,
    ],
    [
      "row model_version",
      "three values, v6 by default",
      `${CUSTOM}: model_version v4`,
      `${NO_EFFECT}: model_version as it is by default`,
    ],
    [
      "row continue_clip_id",
      "text that is not blank",
      `${CONTINUATION}: a blank clip id`,
      `${CONTINUATION}: an empty clip id beside a description`,
    ],
    [
      "row continue_at",
      "seconds, from 0",
      `${CONTINUATION}: from before the start`,
      "emulator/audio-serving: a joined clip is the source up to where it was continued, and then the continuation",
    ],
    [5, "custom needs words in one of two fields", `${CUSTOM}: blank lyrics and styles`],
    [
      6,
      "either may be empty beside the other",
      `${CUSTOM}: empty lyrics with styles`,
      `${CUSTOM}: lyrics with empty styles`,
    ],
    [7, "an instrumental by style", `${CUSTOM}: an instrumental by style`],
    [
      8,
      "the older versions stand for v6",
      `${NO_EFFECT}: model_version v5.5, which v6 stands in for`,
      `${NO_EFFECT}: model_version v5, which v6 stands in for`,
    ],
    [
      9,
      "clips of music and of uploads are continued",
      "contract/suite/chains: are continued, and the whole is joined",
      "contract/suite/chains: of an upload are continued",
    ],
  ),
  section(
    "Input for provider_a, other task types",
    ["row lyrics", "a prompt that is not blank", `${OTHER}: a blank prompt`],
    [
      "row upload",
      "a public address of the web",
      `${OTHER}: ftp`,
      `${OTHER}: a scheme in capitals`,
      "sdk/rules/upload-address: an upload from %j is refused",
    ],
    [
      "row concat",
      "a clip of a music task",
      `${OTHER}: a blank clip id`,
      "emulator/accounts: an upload's clip can be continued but not joined, and a song's both",
    ],
    [1, "an upload's clip can be continued", "contract/suite/chains: of an upload are continued"],
    [
      2,
      "no new song in the style of an upload",
      "emulator/accounts: an upload's clip can be continued but not joined, and a song's both",
    ],
  ),
  section(
    "Input for provider_b, task music",
    ["row prompt", "text that is not blank", `${PROVIDER_B}: a blank prompt with styles`],
    ["row lyrics", "text", `${PROVIDER_B}: lyrics that are a list`],
    ["row tags", "text", `${PROVIDER_B}: styles that are a list`],
    [
      "row lyrics_type",
      "three values",
      `${PROVIDER_B}: another lyrics_type`,
      `${PROVIDER_B}: lyrics_type instrumental`,
    ],
    [
      "row seed",
      "a whole number",
      `${PROVIDER_B}: a seed with a fraction`,
      `${PROVIDER_B}: a seed below zero`,
    ],
    [
      1,
      "two fields of provider_a are forbidden",
      `${PROVIDER_B}: a description of provider_a`,
      `${PROVIDER_B}: make_instrumental false`,
    ],
    [
      2,
      "a mix of both sets is a 400",
      `${PROVIDER_B}: title of provider_a`,
      `${CUSTOM}: seed of provider_b`,
      "policy: mixed_field_sets",
    ],
  ),
];

import { bodies } from "./row.js";

const requests = {
  inspiration: { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain" } },
  custom: { model: "provider_a", task_type: "music", input: { tags: "fado" } },
  continuation: { model: "provider_a", task_type: "music", input: { continue_clip_id: "c" } },
  providerB: { model: "provider_b", task_type: "music", input: { prompt: "calm" } },
  lyrics: { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } },
  upload: { model: "provider_a", task_type: "upload", input: { url: "https://example.com/a" } },
  concat: { model: "provider_a", task_type: "concat", input: { clip_id: "c" } },
};

/** Where `audio_format` may stand, and what it may be. */
export const AUDIO_FORMAT = [
  ...bodies("Resources: Task creation request, `audio_format`", [
    ["mp3 in inspiration mode", { ...requests.inspiration, audio_format: "mp3" }, "accepted"],
    ["mp3 in custom mode", { ...requests.custom, audio_format: "mp3" }, "accepted"],
    ["mp3 in continuation mode", { ...requests.continuation, audio_format: "mp3" }, "accepted"],
    ["mp3 of provider_b", { ...requests.providerB, audio_format: "mp3" }, "accepted"],
    ["mp3 of lyrics, echoed only", { ...requests.lyrics, audio_format: "mp3" }, "accepted"],
    ["mp3 of an upload", { ...requests.upload, audio_format: "mp3" }, "accepted"],
    ["mp3 of a concat", { ...requests.concat, audio_format: "mp3" }, "accepted"],
    [
      "the format inside the input is an extra",
      { ...requests.lyrics, input: { prompt: "a", audio_format: 7 } },
      "accepted",
    ],
  ]),
  ...bodies("`audio_format` behaviour, 5", [
    ["wav", { ...requests.inspiration, audio_format: "wav" }, "invalid_audio_format"],
    ["MP3 in capitals", { ...requests.custom, audio_format: "MP3" }, "invalid_audio_format"],
    ["a media type", { ...requests.providerB, audio_format: "audio/mpeg" }, "invalid_audio_format"],
    ["an empty string", { ...requests.upload, audio_format: "" }, "invalid_audio_format"],
    ["mp3 with a blank", { ...requests.concat, audio_format: "mp3 " }, "invalid_audio_format"],
    ["a number", { ...requests.inspiration, audio_format: 3 }, "invalid_audio_format"],
    ["false", { ...requests.inspiration, audio_format: false }, "invalid_audio_format"],
    ["a list", { ...requests.inspiration, audio_format: ["mp3"] }, "invalid_audio_format"],
    ["an object", { ...requests.inspiration, audio_format: { mp3: true } }, "invalid_audio_format"],
    [
      "another value where it changes nothing",
      { ...requests.lyrics, audio_format: "wav" },
      "invalid_audio_format",
    ],
  ]),
  ...bodies("Policy: `null_audio_format`", [
    ["null", { ...requests.inspiration, audio_format: null }, "invalid_audio_format"],
    ["null of lyrics", { ...requests.lyrics, audio_format: null }, "invalid_audio_format"],
  ]),
];

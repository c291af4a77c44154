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

const as = (request: object, audio_format: unknown) => ({ ...request, audio_format });

/** Requests that may have an `audio_format`, and its values. */
export const AUDIO_FORMAT = [
  ...bodies("Resources: Task creation request, `audio_format`", [
    ["mp3 in inspiration mode", as(requests.inspiration, "mp3"), "accepted"],
    ["mp3 in custom mode", as(requests.custom, "mp3"), "accepted"],
    ["mp3 in continuation mode", as(requests.continuation, "mp3"), "accepted"],
    ["mp3 of provider_b", as(requests.providerB, "mp3"), "accepted"],
    ["mp3 of lyrics, echoed only", as(requests.lyrics, "mp3"), "accepted"],
    ["mp3 of an upload", as(requests.upload, "mp3"), "accepted"],
    ["mp3 of a concat", as(requests.concat, "mp3"), "accepted"],
    [
      "the format inside the input is an extra",
      { ...requests.lyrics, input: { prompt: "a", audio_format: 7 } },
      "accepted",
    ],
  ]),
  ...bodies("`audio_format` behaviour, 5", [
    ["wav", as(requests.inspiration, "wav"), "invalid_audio_format"],
    ["MP3 in capitals", as(requests.custom, "MP3"), "invalid_audio_format"],
    ["a media type", as(requests.providerB, "audio/mpeg"), "invalid_audio_format"],
    ["an empty string", as(requests.upload, ""), "invalid_audio_format"],
    ["mp3 with a blank", as(requests.concat, "mp3 "), "invalid_audio_format"],
    ["a number", as(requests.inspiration, 3), "invalid_audio_format"],
    ["false", as(requests.inspiration, false), "invalid_audio_format"],
    ["a list", as(requests.inspiration, ["mp3"]), "invalid_audio_format"],
    ["an object", as(requests.inspiration, { mp3: true }), "invalid_audio_format"],
    ["another value where it changes nothing", as(requests.lyrics, "wav"), "invalid_audio_format"],
  ]),
  ...bodies("Policy: `null_audio_format`", [
    ["null", as(requests.inspiration, null), "invalid_audio_format"],
    ["null of lyrics", as(requests.lyrics, null), "invalid_audio_format"],
  ]),
];

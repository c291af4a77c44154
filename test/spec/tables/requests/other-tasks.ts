import { inputs } from "./row.js";

const SECTION = "Input for `provider_a`, other task types";

export const LYRICS = inputs(`${SECTION}: lyrics`, "provider_a", "lyrics", [
  ["a prompt", { prompt: "a letter to the sea" }, "accepted"],
  ["one character", { prompt: "o" }, "accepted"],
  ["nothing", {}, "invalid_task_input"],
  ["an empty prompt", { prompt: "" }, "invalid_task_input"],
  ["a blank prompt", { prompt: " \u2003\n" }, "invalid_task_input"],
  ["a prompt that is a number", { prompt: 7 }, "invalid_task_input"],
  ["a prompt that is an object", { prompt: { text: "rain" } }, "invalid_task_input"],
  ["a prompt of null", { prompt: null }, "invalid_task_input"],
  ["a description instead of a prompt", { gpt_description_prompt: "rain" }, "invalid_task_input"],
  [
    "fields of music are extras",
    { prompt: "rain", tags: 7, make_instrumental: "yes", model_version: "v1" },
    "accepted",
  ],
  ["lyrics of provider_b", { prompt: "rain", lyrics: "la" }, "invalid_task_input"],
]);

export const CONCAT = inputs(`${SECTION}: concat`, "provider_a", "concat", [
  ["a clip", { clip_id: "c" }, "accepted"],
  ["nothing", {}, "invalid_task_input"],
  ["an empty clip ID", { clip_id: "" }, "invalid_task_input"],
  ["a blank clip ID", { clip_id: "\t" }, "invalid_task_input"],
  ["a clip ID that is a number", { clip_id: 7 }, "invalid_task_input"],
  ["a clip ID that is a list", { clip_id: ["c"] }, "invalid_task_input"],
  ["a clip ID of null", { clip_id: null }, "invalid_task_input"],
  ["the continuation's field instead", { continue_clip_id: "c" }, "invalid_task_input"],
  ["fields of music are extras", { clip_id: "c", prompt: 7, continue_at: -1 }, "accepted"],
  ["lyrics_type of provider_b", { clip_id: "c", lyrics_type: "user" }, "invalid_task_input"],
]);

export const UPLOAD = inputs(`${SECTION}: upload`, "provider_a", "upload", [
  ["an https address", { url: "https://example.com/song.mp3" }, "accepted"],
  ["an http address", { url: "http://example.com/song.mp3" }, "accepted"],
  ["a scheme in capitals", { url: "HTTPS://example.com/song.mp3" }, "accepted"],
  ["a scheme in mixed case", { url: "HtTp://example.com/song.mp3" }, "accepted"],
  ["a port, a query and a fragment", { url: "https://example.com:8443/a?b=c#d" }, "accepted"],
  ["nothing", {}, "invalid_task_input"],
  ["an empty address", { url: "" }, "invalid_task_input"],
  ["a blank address", { url: "  " }, "invalid_task_input"],
  ["an address that is a number", { url: 7 }, "invalid_task_input"],
  ["an address that is a list", { url: ["https://example.com/a"] }, "invalid_task_input"],
  ["an address of null", { url: null }, "invalid_task_input"],
  ["ftp", { url: "ftp://example.com/song.mp3" }, "invalid_task_input"],
  ["a file", { url: "file:///etc/passwd" }, "invalid_task_input"],
  ["data", { url: "data:audio/mpeg;base64,AAAA" }, "invalid_task_input"],
  ["no scheme", { url: "example.com/song.mp3" }, "invalid_task_input"],
  ["a scheme left open", { url: "//example.com/song.mp3" }, "invalid_task_input"],
  ["one slash", { url: "https:/example.com/song.mp3" }, "invalid_task_input"],
  ["a blank before it", { url: " https://example.com/song.mp3" }, "invalid_task_input"],
  ["a scheme and nothing else", { url: "https://" }, "invalid_task_input"],
  ["a host that can't be", { url: "https://exa mple.com/a" }, "invalid_task_input"],
  ["the audio elsewhere in the input", { audio_url: "https://example.com/a" }, "invalid_task_input"],
  ["fields of music are extras", { url: "https://example.com/a", prompt: 7, title: 7 }, "accepted"],
  ["seed of provider_b", { url: "https://example.com/a", seed: 1 }, "invalid_task_input"],
]);

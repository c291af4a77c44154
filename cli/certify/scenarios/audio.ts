import { HEADERS } from "../../../src/contract/service.js";
import { type Deviation, failing } from "../arrangement.js";
import { makesClips } from "../deviations.js";
import { all, givesUp, isDownload, isHonest, judgeBy, namesFormat, savesSong, sendsOnce } from "../judges.js";
import type { Topic } from "../scenario.js";

const failed = failing("GET", "/audio/*");
const CONTENT_TYPE =
  "The Content-Type of the audio states its format. Neither `audio_format` nor the extension in the URL does.";
const NAME_BY_TYPE = "Choose the extension of the file by the Content-Type of the download.";

/** The addresses of clips have a query. What the audio server does depends on it. */
const withQuery = (query: string) => (clip: Record<string, unknown>) => ({
  ...clip,
  audio_url: `${clip["audio_url"]}${query}`,
});

/** The address of the first read has expired as soon as it is used. Each later read has another one. */
const expiringAddress = (): Deviation => {
  const signed = makesClips((clip, count) => withQuery(`?signature=${count}`)(clip))();
  return async (request, next, emulator) => {
    const isExpired = isDownload(request) && request.url.endsWith("?signature=1");
    return isExpired ? new Response("Expired", { status: 403 }) : signed(request, next, emulator);
  };
};

const keepsKey = judgeBy(({ requests }) => {
  const leak = requests.find((each) => isDownload(each) && each.headers.has(HEADERS.apiKey));
  return leak === undefined ? null : "It sent the API key with the download.";
});

const renewsAddress = judgeBy(({ requests }) =>
  requests.some((each) => isDownload(each) && each.status === 200)
    ? null
    : "It did not read the task again after the 403.",
);

export const AUDIO_LINKS: Topic = {
  title: "Audio",
  scenarios: [
    {
      name: "audio-format",
      rule: "The client names the file by the Content-Type, not by the format that it requested.",
      sentence: `${CONTENT_TYPE} If a conversion fails, the task still succeeds, and the audio has the format of the source.`,
      change: NAME_BY_TYPE,
      arrange: { outcome: { format: "wav" }, policy: { audio_conversion: "failing" } },
      judge: all(savesSong, namesFormat),
    },
    {
      name: "audio-provider-format",
      rule: "The client names the file by the Content-Type, whatever format the provider delivers.",
      sentence: `${CONTENT_TYPE} Without \`audio_format\`, the format is that of the provider, which may change.`,
      change: NAME_BY_TYPE,
      arrange: { outcome: { format: "mp3" } },
      judge: all(savesSong, namesFormat),
    },
    {
      name: "audio-url-extension",
      rule: "The client does not name the file by the extension in its URL.",
      sentence: CONTENT_TYPE,
      change: NAME_BY_TYPE,
      arrange: {
        deviate: () => {
          const rename = makesClips(withQuery("/song.flac"))();
          return async (request, next, emulator) => {
            if (!isDownload({ url: new URL(request.url) })) return rename(request, next, emulator);
            return next(new Request(request.url.replace("/song.flac", ""), request));
          };
        },
      },
      judge: all(savesSong, namesFormat),
    },
    {
      name: "audio-500",
      rule: "The client downloads again after a 500, and saves no error as a song.",
      sentence:
        "Reads are safe to send again. The audio is available for seven days after the task has completed.",
      change:
        "Check the status of the download. After a 5xx or a broken connection, try it again after a pause.",
      arrange: failed({ kind: "status", status: 500, when: "before" }),
      judge: savesSong,
    },
    {
      name: "audio-cut",
      rule: "The client saves the whole file, also if the connection breaks during the download.",
      sentence:
        "Reads are safe to send again. The audio is available for seven days after the task has completed.",
      change:
        "Compare the size with Content-Length, and download again if bytes are missing. Write to a draft until then.",
      arrange: failed({ kind: "malformed" }),
      judge: savesSong,
    },
    {
      name: "audio-404",
      rule: "The client takes a 404 of the audio as final: it neither pays for another task nor saves the error.",
      sentence: "Seven days after the task has completed, its `audio_url` returns 404 permanently.",
      change: "After a 404, report that the audio has expired, and exit with another status than 0.",
      arrange: failed({ kind: "status", status: 404, when: "before" }, 1000),
      judge: all(sendsOnce, givesUp),
    },
    {
      name: "audio-403",
      rule: "After a 403 of the audio, the client reads the task again, and downloads from the new address.",
      sentence: "Addresses of clips that the service could not store expire on the schedule of the provider.",
      isRequired: false,
      change: "After 401, 403 or 410 for a download, read the task again and use its `audio_url`, once.",
      arrange: { deviate: expiringAddress },
      judge: all(renewsAddress, savesSong),
    },
    {
      name: "audio-provider",
      rule: "The client downloads from the provider, and does not send it the API key.",
      sentence:
        "The API key belongs in code of your servers only. `audio_url` may be an address of the provider.",
      change: "Send the header x-api-key to the service address only: download without it.",
      arrange: { outcome: { storable: false } },
      judge: all(keepsKey, savesSong),
    },
    {
      name: "audio-clips",
      rule: "The client accepts any number of clips.",
      sentence: "The result of a music task is a list of clips. Their number is not stated.",
      change: "Loop over `result`, or take its first clip. Don't expect two.",
      arrange: { outcome: { clips: 3 } },
      judge: all(savesSong, sendsOnce),
    },
    {
      name: "audio-no-clips",
      rule: "The client does not report a song if the task has no clips.",
      sentence: "The result of a music task is a list of clips. Their number is not stated.",
      isRequired: false,
      change: "If `result` is empty, report so and exit with another status than 0.",
      arrange: { outcome: { clips: 0 } },
      judge: all(sendsOnce, isHonest, givesUp),
    },
  ],
};

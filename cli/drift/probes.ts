import { priceOf } from "../../src/contract/prices.js";
import { API_PREFIX, HEADERS, type Model, type TaskType } from "../../src/contract/service.js";
import type { RequestChange } from "./wire.js";

/** One request of the drift check, and everything that follows from it. */
export type DriftProbe = ReadProbe | CreateProbe | RateLimitProbe;

interface ReadProbe {
  /** Unique. */
  readonly name: string;
  readonly kind: "balance" | "usage" | "task";
  readonly change?: RequestChange;
}

/** A POST. If the service accepts it, the task is followed to its end. */
export interface CreateProbe {
  readonly name: string;
  readonly kind: "create";
  readonly request: object;
  /** What it costs if the service accepts it, also where the service should refuse it. */
  readonly credits: number;
  readonly change?: RequestChange;
  /** The service accepts it, as far as the interface says so, and creates a task. */
  readonly isAccepted?: boolean;
  /** The request names a clip that does not exist. The interface does not say when and how such a request fails. */
  readonly hasUnknownClip?: boolean;
  /** A probe whose refusal is also correct for this one. */
  readonly orRefusedLike?: string;
  /** Not needed if this probe was accepted: its task shows the same. */
  readonly unlessAccepted?: string | undefined;
  /** Only with more credits than the default of `--max-credits`. */
  readonly isExtra?: boolean;
}

interface RateLimitProbe {
  readonly name: string;
  readonly kind: "rate limit";
}

/** A valid ID that no service gives. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
/** Another one: a request that failed is not sent again. */
const OTHER_UNKNOWN_ID = "00000000-0000-4000-8000-000000000001";

/** The default of `--max-credits`. It allows every probe that is not an extra one, at the documented prices. */
export const CREDITS_FOR_ALL = 20;
/** A ceiling that also allows the extra probes. */
export const CREDITS_FOR_EXTRAS = 22;

/** The names of probes that show a policy field. */
export const SHOWS = {
  window: "rate limit window",
  invalidFormat: "unknown audio format",
  nullFormat: "audio format null",
  mixedFields: "song by provider_b with a title",
  mp3: "song by provider_a as MP3",
} as const;

/** All probes, in the order in which they run: the free ones first, then those whose tasks are refunded. */
export function probesFor(uploadUrl: string): readonly DriftProbe[] {
  const upload = probeRequest("provider_a", "upload", { url: uploadUrl });
  return [
    ...READ_PROBES,
    ...refusedRequests(upload),
    ...REQUESTS_WITH_AN_UNKNOWN_CLIP,
    ...ACCEPTED_REQUESTS,
    { ...accepted("upload as MP3", upload, { audio_format: "mp3" }), isExtra: true },
    { ...accepted("upload", upload), isExtra: true },
  ];
}

const READ_PROBES: readonly DriftProbe[] = [
  { name: "balance", kind: "balance" },
  { name: "usage", kind: "usage" },
  { name: "no API key", kind: "balance", change: { headers: { [HEADERS.apiKey]: null } } },
  { name: "unknown API key", kind: "balance", change: { headers: { [HEADERS.apiKey]: "drift-check" } } },
  { name: "no request ID", kind: "balance", change: { headers: { [HEADERS.requestId]: null } } },
  { name: "unsafe request ID", kind: "balance", change: { headers: { [HEADERS.requestId]: "not safe!" } } },
  { name: "unknown task", kind: "task" },
  { name: "task ID that is not a UUID", kind: "task", change: { path: `${API_PREFIX}/task/1` } },
  { name: SHOWS.window, kind: "rate limit" },
];

/** A request, before a probe changes it. */
interface ProbeRequest {
  readonly model: Model;
  readonly task_type: TaskType;
  readonly input: object;
}

function probeRequest(model: Model, type: TaskType, input: object): ProbeRequest {
  return { model, task_type: type, input };
}

const LYRICS = probeRequest("provider_a", "lyrics", { prompt: "a lighthouse" });
const DESCRIBED_SONG = probeRequest("provider_a", "music", { gpt_description_prompt: "rain in Lisbon" });
const SONG_OF_B = probeRequest("provider_b", "music", { prompt: "slow folk" });
const CONCAT = probeRequest("provider_a", "concat", { clip_id: UNKNOWN_ID });

function refusedRequests(upload: ProbeRequest): readonly DriftProbe[] {
  return [
    { ...create("body that is not JSON", upload), credits: 0, change: { body: "{" } },
    {
      ...create("body that is a list", upload),
      ...{ credits: 0, change: { body: "[]" } },
      // A list also lacks the required fields. The interface does not say which error wins.
      orRefusedLike: "missing model",
    },
    create("missing model", upload, { model: undefined }),
    create("unknown model", upload, { model: "provider_c" }),
    create("task type of the other model", upload, { model: "provider_b" }),
    create("upload of another scheme", upload, { input: { url: "ftp://example.com/a.mp3" } }),
    create("upload from a private network", upload, { input: { url: "http://192.168.0.1/a.mp3" } }),
    create("blank lyrics", LYRICS, { input: { prompt: " " } }),
    create("song without words", DESCRIBED_SONG, { input: { negative_tags: "polka" } }),
    create("mixed field sets", SONG_OF_B, { input: { prompt: "slow folk", make_instrumental: true } }),
    create(SHOWS.invalidFormat, upload, { audio_format: "wav" }),
  ];
}

const REQUESTS_WITH_AN_UNKNOWN_CLIP: readonly DriftProbe[] = [
  accepted("continuation of an unknown clip", DESCRIBED_SONG, {
    input: { continue_clip_id: UNKNOWN_ID, continue_at: 5 },
  }),
  accepted("concat of an unknown clip", CONCAT),
  accepted(SHOWS.nullFormat, CONCAT, { input: { clip_id: OTHER_UNKNOWN_ID }, audio_format: null }),
].map((probe) => ({ ...probe, hasUnknownClip: true, orRefusedLike: "blank lyrics" }));

const ACCEPTED_REQUESTS: readonly DriftProbe[] = [
  accepted("lyrics", LYRICS, {
    input: { ...LYRICS.input, unknown_field: [1, null] },
    unknown_field: true,
  }),
  accepted(SHOWS.mixedFields, SONG_OF_B, { input: { prompt: "slow folk", title: "Rain" } }),
  {
    ...accepted("song by provider_b", SONG_OF_B, { input: { prompt: "slow folk", seed: 7 } }),
    unlessAccepted: SHOWS.mixedFields,
  },
  accepted(SHOWS.mp3, DESCRIBED_SONG, { audio_format: "mp3" }),
  { ...accepted("song by provider_a", DESCRIBED_SONG), unlessAccepted: SHOWS.mp3 },
];

function accepted(name: string, request: ProbeRequest, changed: object = {}): CreateProbe {
  return { ...create(name, request, changed), isAccepted: true };
}

/** A probe costs what the request costs before it is changed. */
function create(name: string, request: ProbeRequest, changed: object = {}): CreateProbe {
  const credits = priceOf(request.model, request.task_type);
  return { name, kind: "create", request: { ...request, ...changed }, credits };
}

/** How the task of a probe should end. */
export function lastStatusOf(probe: DriftProbe): "failure" | "success" {
  return probe.kind === "create" && probe.hasUnknownClip ? "failure" : "success";
}

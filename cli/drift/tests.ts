import { priceOf } from "../../src/contract/prices.js";
import { API_PREFIX, HEADERS, type Model, type TaskType } from "../../src/contract/service.js";
import type { RequestChange } from "./wire.js";

/** One request of the drift check, and everything that follows from it. */
export type DriftTest = ReadTest | CreateTest | RateLimitTest;

interface ReadTest {
  /** Unique. */
  readonly name: string;
  readonly kind: "balance" | "usage" | "task";
  readonly change?: RequestChange;
}

/** A POST. If the service accepts it, the task is followed to its end. */
export interface CreateTest {
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
  /** A test whose refusal is also correct for this one. */
  readonly orRefusedLike?: string;
  /** Not needed if this test was accepted: its task shows the same. */
  readonly unlessAccepted?: string | undefined;
  /** Only with more credits than the default of `--max-credits`. */
  readonly isExtra?: boolean;
}

interface RateLimitTest {
  readonly name: string;
  readonly kind: "rate limit";
}

/** A valid ID that no service gives. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
/** Another one: a request that failed is not sent again. */
const OTHER_UNKNOWN_ID = "00000000-0000-4000-8000-000000000001";

/** The default of `--max-credits`. It allows every test that is not an extra one, at the documented prices. */
export const CREDITS_FOR_ALL = 20;
/** A ceiling that also allows the extra tests. */
export const CREDITS_FOR_EXTRAS = 22;

/** The names of tests that show a policy field. */
export const SHOWS = {
  window: "rate limit window",
  invalidFormat: "unknown audio format",
  nullFormat: "audio format null",
  mixedFields: "song by provider_b with a title",
  mp3: "song by provider_a as MP3",
} as const;

/** All tests, in the order in which they run: the free ones first, then those whose tasks are refunded. */
export function testsFor(uploadUrl: string): readonly DriftTest[] {
  const upload = testRequest("provider_a", "upload", { url: uploadUrl });
  return [
    ...READ_TESTS,
    ...refusedRequests(upload),
    ...REQUESTS_WITH_AN_UNKNOWN_CLIP,
    ...ACCEPTED_REQUESTS,
    { ...accepted("upload as MP3", upload, { audio_format: "mp3" }), isExtra: true },
    { ...accepted("upload", upload), isExtra: true },
  ];
}

const READ_TESTS: readonly DriftTest[] = [
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

/** A request, before a test changes it. */
interface TestRequest {
  readonly model: Model;
  readonly task_type: TaskType;
  readonly input: object;
}

function testRequest(model: Model, type: TaskType, input: object): TestRequest {
  return { model, task_type: type, input };
}

const LYRICS = testRequest("provider_a", "lyrics", { prompt: "a lighthouse" });
const DESCRIBED_SONG = testRequest("provider_a", "music", { gpt_description_prompt: "rain in Lisbon" });
const SONG_OF_B = testRequest("provider_b", "music", { prompt: "slow folk" });
const CONCAT = testRequest("provider_a", "concat", { clip_id: UNKNOWN_ID });

function refusedRequests(upload: TestRequest): readonly DriftTest[] {
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

const REQUESTS_WITH_AN_UNKNOWN_CLIP: readonly DriftTest[] = [
  accepted("continuation of an unknown clip", DESCRIBED_SONG, {
    input: { continue_clip_id: UNKNOWN_ID, continue_at: 5 },
  }),
  accepted("concat of an unknown clip", CONCAT),
  accepted(SHOWS.nullFormat, CONCAT, { input: { clip_id: OTHER_UNKNOWN_ID }, audio_format: null }),
].map((test) => ({ ...test, hasUnknownClip: true, orRefusedLike: "blank lyrics" }));

const ACCEPTED_REQUESTS: readonly DriftTest[] = [
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

function accepted(name: string, request: TestRequest, changed: object = {}): CreateTest {
  return { ...create(name, request, changed), isAccepted: true };
}

/** A test costs what the request costs before it is changed. */
function create(name: string, request: TestRequest, changed: object = {}): CreateTest {
  const credits = priceOf(request.model, request.task_type);
  return { name, kind: "create", request: { ...request, ...changed }, credits };
}

/** How the task of a test should end. */
export function lastStatusOf(test: DriftTest): "failure" | "success" {
  return test.kind === "create" && test.hasUnknownClip ? "failure" : "success";
}

import { basename } from "node:path";
import type { ComplianceRule } from "../../emulator/index.js";
import { ENDPOINTS } from "../../src/contract/service.js";
import { printableLine } from "../../src/contract/text.js";
import type { ClientRun } from "./run.js";
import type { ClientRequest } from "./service.js";

/** What a client did wrong. */
export interface Misstep {
  /** As a sentence. */
  readonly happened: string;
  /** @defaultValue that of the scenario */
  readonly change?: string;
}

/** Judges a client by one rule. Returns `null` if the client did nothing wrong. */
export type RunJudge = (run: ClientRun) => Misstep | null;

/** A judge that returns what happened, as a sentence. */
export function judgeBy(find: (run: ClientRun) => string | null, change?: string): RunJudge {
  return (run) => {
    const happened = find(run);
    return happened === null ? null : { happened, ...(change !== undefined && { change }) };
  };
}

/** What the first of the judges finds that finds something. */
export function all(...judges: readonly RunJudge[]): RunJudge {
  return (run) => judges.map((judge) => judge(run)).find((found) => found !== null) ?? null;
}

/** The client ended with status 0, and saved a whole clip. */
export const savesSong: RunJudge = (run) =>
  run.status === 0 ? hasSong(run) : { happened: `It ended with ${endOf(run)}.` };

/** The client saved a whole clip and ended with status 0, or ended with another status and left no broken audio. */
export const isHonest: RunJudge = (run) => (run.status === 0 ? hasSong(run) : hasNoBrokenAudio(run));

/** The client ended with another status than 0. */
export const givesUp: RunJudge = (run) =>
  run.status === 0 ? { happened: "It ended with exit status 0, as after a success." } : hasNoBrokenAudio(run);

const hasNoBrokenAudio = judgeBy(({ files }) => {
  const broken = files.find(
    ({ extension, clipType }) => clipType === null && AUDIO_EXTENSIONS.has(extension),
  );
  return broken === undefined ? null : `${basename(broken.path)} is not a whole clip of the song.`;
}, "Write a download to a draft, check its status and its length, and rename it when it is complete. Leave no file after an error.");

const hasSong = all(
  judgeBy(({ files }) => {
    if (files.some(({ clipType }) => clipType !== null)) return null;
    const [file] = files;
    const found = file === undefined ? "saved no file" : `${basename(file.path)} is not a clip of the song`;
    return `It ended with exit status 0, but ${found}.`;
  }, "Exit with status 0 only if a whole clip was saved. After an error, write it to stderr and exit with another status. Save into ASYNC_MUSIC_OUT_DIR, or under a name with the task ID: several runs of the client use its working directory at once."),
  hasNoBrokenAudio,
);

const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  "audio/mpeg": [".mp3", ".mpga", ".mpeg"],
  "audio/wav": [".wav", ".wave"],
};
const AUDIO_EXTENSIONS = new Set([...Object.values(EXTENSIONS).flat(), ".flac", ".ogg", ".m4a", ".aac"]);

/** An audio extension of a saved clip is that of its `Content-Type`. */
export const namesFormat = judgeBy(({ files }) => {
  const wrong = files.find(
    ({ extension, clipType }) =>
      clipType !== null &&
      AUDIO_EXTENSIONS.has(extension) &&
      EXTENSIONS[clipType]?.includes(extension) !== true,
  );
  return wrong === undefined ? null : `It saved ${wrong.clipType} as ${basename(wrong.path)}.`;
});

/** The client sent the creation at most once. */
export const sendsOnce = judgeBy((run) => {
  const { length } = creationsIn(run);
  if (length <= 1) return null;
  const credits = run.tasks.reduce((sum, task) => sum + task.credits_cost, 0);
  const cost = run.tasks.length > 1 ? `, which made ${run.tasks.length} tasks for ${credits} credits` : "";
  return `It sent the creation ${length} times${cost}.`;
});

/** The client broke none of these rules in the audit of the emulator. */
export function keeps(...rules: readonly ComplianceRule[]): RunJudge {
  return judgeBy(({ findings }) => {
    const found = findings.filter(({ rule }) => rules.includes(rule));
    const [first] = found;
    if (first === undefined) return null;
    const more = found.length > 1 ? ` ${found.length} requests did so.` : "";
    // The advice for tests that break a rule on purpose is not for this client.
    return `${first.detail.split(" If the test ")[0]}${more}`;
  });
}

export function creationsIn({ requests }: ClientRun): ClientRequest[] {
  return requests.filter(isCreation);
}

type Target = Pick<ClientRequest | Request, "method" | "url">;

export function isCreation({ method, url }: Target): boolean {
  return method === "POST" && new URL(url).pathname === ENDPOINTS.createTask.path;
}

export function isRead({ method, url }: Target): boolean {
  return method === "GET" && new URL(url).pathname.startsWith(`${ENDPOINTS.createTask.path}/`);
}

/** A download of a clip, of the service or of a provider. */
export function isDownload({ url }: Pick<Target, "url">): boolean {
  return new URL(url).pathname.includes("/audio/");
}

/**
 * The exit status, and the last line that the client wrote. Below the message of an error, Node writes indented lines, and
 * its version.
 */
export function endOf({ status, stderr, stdout }: ClientRun): string {
  const written = `${stdout}\n${stderr}`.split("\n").filter((line) => /^(?!Node\.js v)\w/.test(line));
  const last = printableLine(written.at(-1)?.trim().slice(0, 200) ?? "");
  const end = status === null ? "a signal" : `exit status ${status}`;
  return last === "" ? end : `${end}: ${last}`;
}

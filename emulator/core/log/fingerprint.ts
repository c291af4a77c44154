import { canonicalJson } from "../../../src/contract/canonical-json.js";
import { isRecord } from "../../../src/contract/service.js";
import { hashOf } from "../../time/random.js";

/** Identifies equal requests. Computed on demand, since most requests are never compared. */
export type Fingerprint = () => string;

/** The fingerprint of an account and its JSON. Only the fields that the service reads count. */
export function fingerprintOfSubmission(accountId: string, json: unknown): string {
  if (!isRecord(json)) return `${accountId} ${fingerprintOf(json)}`;
  const { model, task_type, input, audio_format = null } = json;
  return `${accountId} ${fingerprintOf({ model, task_type, input, audio_format })}`;
}

/** The fingerprint of a JSON value. The order of an object's fields does not count. */
export function fingerprintOf(value: unknown): string {
  return hashOf(canonicalJson(value));
}

/** The fingerprint of a string that is not JSON. It differs from that of every JSON value. */
export function fingerprintOfText(text: string): string {
  return hashOf(`?${text}`);
}

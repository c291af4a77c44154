import { InvalidOptionError, shown } from "../errors/base.js";

/** The address of what is to be downloaded. */
export function audioUrlOf(source: unknown): string {
  const url: unknown =
    typeof source === "object" ? (Reflect.get(Object(source), "audio_url") ?? source) : source;
  const address = url instanceof URL ? url.href : url;
  if (typeof address === "string" && /^https?:\/\//i.test(address) && URL.canParse(address)) {
    const { username, password, href } = new URL(address);
    // `withoutCredentials` finds every password in the normal form of a URL.
    return username === "" && password === "" ? address : href;
  }
  throw new InvalidOptionError(
    "source",
    "be a clip, or an address that begins with http:// or https://",
    kindOf(source) ?? shown(address),
  );
}

/** What people give who have a clip at hand, but not in it. */
function kindOf(source: unknown): string | null {
  if (Array.isArray(source)) return "a list: give one clip of it";
  if (typeof Object(source).then === "function") return "a promise: await it first";
  return Object(source).task_id === undefined ? null : "a task: give one clip of its output.result";
}

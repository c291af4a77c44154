import { LONGEST_KIND_NAME, type TaskEnd } from "../../rate-limit/schedule.js";
import { jsonOrNull } from "../json.js";
import type { Evaluate } from "./client.js";

/** How many ends of a key are stored, of all models and types. */
const MOST_STORED = 300;
/** The ends are forgotten so long after the last one was added. */
const LASTS_SECONDS = 24 * 60 * 60;

/** Returns what was added to the stream after an ID, and the ID of its last entry; then adds the ends of this process. */
const EXCHANGE = `
local last, most, lasts = ARGV[1], ARGV[2], ARGV[3]
local ends = {last}
local streams = redis.call('xread', 'COUNT', most, 'STREAMS', KEYS[1], last)
for _, entry in ipairs(streams and streams[1][2] or {}) do
  ends[1] = entry[1]
  ends[#ends + 1] = entry[2][2]
end
for at = 4, #ARGV do ends[1] = redis.call('xadd', KEYS[1], 'MAXLEN', most, '*', 'end', ARGV[at]) end
if #ARGV > 3 then redis.call('expire', KEYS[1], lasts) end
return ends`;

/**
 * Exchanges the ends of tasks by a stream in Redis. An entry is a JSON of the model, the type, both ages, and the member
 * that added it. Later versions may append values to an entry; entries of another form are ignored.
 */
export function createEndExchange(evaluate: Evaluate, windowKey: () => Promise<string>, member: string) {
  let read = { key: "", last: "0" };
  return async (own: readonly TaskEnd[]): Promise<TaskEnd[]> => {
    const key = `${await windowKey()}:ends`;
    if (read.key !== key) read = { key, last: "0" };
    const added = own.map(({ model, type, unfinishedMs, ageMs }) =>
      JSON.stringify([
        model.slice(0, LONGEST_KIND_NAME),
        type.slice(0, LONGEST_KIND_NAME),
        Math.round(unfinishedMs),
        Math.round(ageMs),
        member,
      ]),
    );
    const reply = await evaluate(EXCHANGE, key, [
      read.last,
      String(MOST_STORED),
      String(LASTS_SECONDS),
      ...added,
    ]);
    if (!Array.isArray(reply)) throw new TypeError("Expected Redis to return the ends of tasks.");
    const [last, ...entries]: unknown[] = reply;
    read = { key, last: String(last) };
    return entries.flatMap((entry) => endOf(entry, member) ?? []);
  };
}

/** Returns null for an entry of this process, and for one of another form. */
function endOf(entry: unknown, ownMember: string): TaskEnd | null {
  const values = jsonOrNull(entry);
  if (!Array.isArray(values)) return null;
  const [model, type, unfinishedMs, ageMs, member]: unknown[] = values;
  if (typeof model !== "string" || typeof type !== "string" || member === ownMember) return null;
  if (typeof unfinishedMs !== "number" || typeof ageMs !== "number") return null;
  return unfinishedMs >= 0 && ageMs > unfinishedMs ? { model, type, unfinishedMs, ageMs } : null;
}

import type { PostgresClient } from "async-music/postgres";
import type { RedisClient } from "async-music/redis";

/** A Redis that knows only the scripts of a journal for one key, each of which takes time. It behaves as the tests with Redis require. */
export function createRedisDouble(delay: () => Promise<void>): RedisClient {
  const hashes = new Map<string, { revision: string; entry: string }>();

  const run = (script: string, key: string, [revision = "", entry = "", , , previous]: readonly string[]) => {
    const held = hashes.get(key);
    if (script.includes("'hmget'")) return [held?.revision ?? null, held?.entry ?? null];
    if (script.includes("'hset'")) {
      if (held?.revision !== previous) return 0;
      hashes.set(key, { revision, entry });
      return 1;
    }
    if (!script.includes("'del'")) throw new Error("Only scripts of a journal can run here.");
    return held?.revision === revision && hashes.delete(key) ? 1 : 0;
  };

  return {
    async eval(script: string, ...[parameters]: { keys: string[]; arguments: string[] }[]) {
      await delay();
      const reply = run(script, parameters?.keys[0] ?? "", parameters?.arguments ?? []);
      await delay();
      return reply;
    },
  };
}

/** A code of PostgreSQL, so that the statement is not tried again. */
const SYNTAX_ERROR = "42601";

interface Row {
  key: string;
  revision: string;
  entry: string;
  state: string;
}

/** A PostgreSQL that knows only the statements of a journal outside a transaction, each of which takes time. */
export function createPostgresDouble(delay: () => Promise<void>): PostgresClient {
  const rows = new Map<string, Row>();
  const CHANGED = [{ transaction: "1" }];

  const run = (text: string, [hash, second, third, fourth, fifth]: readonly unknown[]) => {
    const id = String(hash);
    const held = rows.get(id);
    if (text.endsWith("AS now")) return [{ now: 0 }];
    if (text.includes("pg_xact_status")) return [{ status: "committed" }];
    if (text.includes("state = ANY")) return [...rows.values()].filter(({ state }) => isIn(hash, state));
    if (text.startsWith("SELECT key")) return held === undefined ? [] : [held];
    const written = { revision: String(second), entry: String(third), state: String(fourth) };
    if (text.includes("INSERT")) {
      if (held !== undefined) return [];
      rows.set(id, { key: String(fifth), ...written });
      return CHANGED;
    }
    if (text.includes("UPDATE")) {
      if (held === undefined || held.revision !== fifth) return [];
      rows.set(id, { key: held.key, ...written });
      return CHANGED;
    }
    if (!text.includes("DELETE"))
      throw Object.assign(new Error(`Unknown here: ${text}`), { code: SYNTAX_ERROR });
    return held?.revision === second && rows.delete(id) ? CHANGED : [];
  };

  return {
    async query(text, values) {
      await delay();
      const found = run(text, values);
      await delay();
      return { rows: found };
    },
  };
}

function isIn(states: unknown, state: string): boolean {
  return Array.isArray(states) && states.includes(state);
}

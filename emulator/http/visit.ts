import type { Account, ApiKey } from "../core/accounts.js";
import type { Submission } from "../core/audit.js";
import type { World } from "../core/state/world.js";
import type { Exchange } from "./exchange.js";

/** One exchange on its way through the pipeline. */
export interface Visit {
  readonly world: World;
  readonly exchange: Exchange;
  readonly requestId: string;
  /** When it came, where a delay has kept it since. */
  readonly cameAt: number;
  /** The one time that everything in this exchange has. */
  readonly now: number;
  /** The same as the wire has it. */
  readonly at: string;
  /** What is submitted; `null` for everything else. */
  readonly submission: Submission | null;
  /** An equal submission that was under way when this one came, and whose caller had left without an answer. */
  readonly abandoned: Submission | null;
  /** What the route's pattern stands for in the path. */
  params: readonly string[];
  /** Whose valid key was sent. */
  caller: Caller | null;
  /** What the key has left in its window, once that was counted. */
  remaining: number | null;
}

export interface Caller {
  account: Account;
  key: ApiKey;
}

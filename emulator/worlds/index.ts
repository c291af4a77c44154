/**
 * Explores a program in random worlds: `explore` finds a world in which it breaks a promise, and `replay` repeats it.
 *
 * @module async-music/emulator/worlds
 */

export type {
  App,
  EndedOrder,
  EndedWorld,
  ExploreOptions,
  GiveUpReason,
  Order,
  Post,
  Process,
  Storage,
} from "./app.js";
export { BrokenWorldError, type Exploration, explore, replay } from "./explore.js";
export type { Mishap, Plan, PlannedOrder, PlannedProcess } from "./plan.js";
export type { CheckName, Violation } from "./verdict.js";

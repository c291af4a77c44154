export { type Core as World, findTask, type Index, type OpenTasks, untilReplaced } from "../core.js";

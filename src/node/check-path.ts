import { InvalidOptionError, shown } from "../errors/base.js";

/** A place on disk, checked: an empty one would be taken for the working directory. */
export function checkPath(path: string): string {
  if (typeof path === "string" && path !== "") return path;
  throw new InvalidOptionError("path", "be a text that is not empty", shown(path));
}

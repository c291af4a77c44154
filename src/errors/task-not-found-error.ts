import { ApiError } from "./api-error.js";

/** No task of this account has that id (404). */
export class TaskNotFoundError extends ApiError {
  override name = "TaskNotFoundError";
}

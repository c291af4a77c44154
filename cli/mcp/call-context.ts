/** A notification about the progress of a call. */
interface ProgressNotification {
  method: "notifications/progress";
  params: { progressToken: string | number; progress: number; message: string };
}

/** What a tool needs of its call beside the arguments. */
export interface CallContext {
  /** Of a client that wants reports of the progress. */
  progressToken: string | number | undefined;
  notify(notification: ProgressNotification): Promise<void>;
}

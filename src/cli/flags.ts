import type { Model } from "../contract/models.js";

/** The flags of every command that talks to the service, parsed. */
export interface ConnectionFlags {
  baseUrl?: string;
  json?: boolean;
}

/** The flags of every command that waits for a task and saves what it made. */
export interface WaitFlags extends ConnectionFlags {
  out?: string;
  force?: boolean;
  download: boolean;
  /** In milliseconds. */
  maxWait?: number;
}

/** The flags that are fields of a request's `input`. */
export interface InputFlags {
  gptDescriptionPrompt?: string;
  prompt?: string;
  tags?: string;
  negativeTags?: string;
  title?: string;
  makeInstrumental?: boolean;
  modelVersion?: string;
  continueClipId?: string;
  continueAt?: number;
  lyrics?: string;
  lyricsType?: string;
  seed?: number;
  url?: string;
  clipId?: string;
}

/** The flags of `async-music run`, parsed. */
export interface RunFlags extends WaitFlags, InputFlags {
  model?: Model;
  format?: "mp3";
  file?: string;
  wait: boolean;
  journal?: string;
  key?: string;
}

/** The flags of `async-music settle`, parsed. */
export interface SettleFlags extends ConnectionFlags {
  journal: string;
  taskId?: string;
  notCreated?: boolean;
  offline?: boolean;
}

/** The flags of `async-music orders`, parsed. */
export interface OrdersFlags {
  journal: string;
  json?: boolean;
}

import type { LoggedRequest } from "../client/client.js";
import { requests } from "./store.js";

/** How long arrivals gather before they are shown. */
const GATHER_MS = 100;
const RETRY_MS = 1000;

/** As many as the emulator itself remembers for certain. */
const MOST_REQUESTS = 100_000;

/** Who follows the log: told when it was opened (again), when there is more of it, and when it broke off. */
export interface LogFollower {
  opened(): void;
  heard(): void;
  lost(): void;
}

/** Reads the request stream for as long as the page lives: it begins with the backlog each time it is opened. */
export function followLog({ opened, heard, lost }: LogFollower): { restart(): void } {
  let source: EventSource | null = null;
  let list: LoggedRequest[] = [];
  let isGathering = false;

  const show = () => {
    isGathering = false;
    if (list.length > 2 * MOST_REQUESTS) list = list.slice(-MOST_REQUESTS);
    requests.value = { list, version: requests.value.version + 1 };
    heard();
  };
  const gather = () => {
    if (!isGathering) setTimeout(show, GATHER_MS);
    isGathering = true;
  };
  const open = () => {
    source = new EventSource("/_emulator/requests/stream");
    source.onopen = () => {
      list = [];
      opened();
      gather();
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      list.push(JSON.parse(data));
      gather();
    };
    source.onerror = () => {
      lost();
      // It tries again by itself, except where it was answered, and not with a stream.
      if (source?.readyState === EventSource.CLOSED) setTimeout(restart, RETRY_MS);
    };
  };
  const restart = () => {
    source?.close();
    open();
  };
  open();
  return { restart };
}

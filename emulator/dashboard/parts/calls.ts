import { useEffect, useRef, useState } from "preact/hooks";
import { messageOfThrown } from "../../../src/contract/thrown.js";
import { type Args, call, type Issue, RefusedError, type Route, UnreachableError } from "../api.js";
import { refreshNow } from "../follow.js";
import { link, revision } from "../store.js";

/** A change that the page makes, and its state. */
export type Call = ReturnType<typeof useCall>;

const NO_ISSUES: readonly Issue[] = [];

/** Runs changes one at a time, and refreshes the page after each. A change that is requested meanwhile is not made. */
export function useCall() {
  const [isBusy, setBusy] = useState(false);
  // Two events can arrive before the page is drawn again.
  const hasBegun = useRef(false);
  const [reason, setReason] = useState<unknown>(null);
  const isLive = link.value === "live";
  useEffect(() => {
    if (isLive) setReason((last: unknown) => (last instanceof UnreachableError ? null : last));
  }, [isLive]);
  return {
    isBusy,
    /** The message of the last failure. */
    error: reason === null ? null : messageOfThrown(reason),
    /** The fields that the last failure is about. */
    issues: reason instanceof RefusedError ? reason.issues : NO_ISSUES,
    /** The values have changed: the last failure no longer applies. */
    clear: () => setReason(null),
    async run(change: () => Promise<unknown>) {
      if (hasBegun.current) return;
      hasBegun.current = true;
      setBusy(true);
      setReason(null);
      try {
        await change();
      } catch (thrown) {
        setReason(thrown);
      } finally {
        hasBegun.current = false;
        setBusy(false);
        refreshNow();
      }
    },
  };
}

/** Data that is read again whenever it may have changed. `undefined` until the first response. */
export function useData<Data>(read: () => Promise<Data>, id: string) {
  const [result, setResult] = useState<{ id: string; data?: Data; error: string | null }>();
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (data) => isCurrent && setResult({ id, data, error: null }),
      (error: unknown) => {
        // The banner reports an unreachable emulator; the last data stays.
        if (isCurrent && !(error instanceof UnreachableError))
          setResult({ id, error: messageOfThrown(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [id, revision.value]);
  return result?.id === id ? result : { data: undefined, error: null };
}

/** The result of a call, read again whenever it may have changed. */
export function useResult<Named extends Route>(route: Named, ...args: Args<Named>) {
  return useData(() => call(route, ...args), args.join(" "));
}

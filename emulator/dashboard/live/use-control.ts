import { useEffect, useState } from "preact/hooks";
import { UnreachableError } from "../client/client.js";
import { lookNow } from "./follow.js";
import { beat } from "./store.js";

/** One thing that can be told to the emulator, and how it went. */
export interface Telling {
  isBusy: boolean;
  /** In words; `null` where nothing went wrong. */
  error: string | null;
  /** Tells it. Answers whether it went well. */
  tell(what: () => Promise<void>): Promise<boolean>;
}

export function useTelling(): Telling {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  return {
    isBusy,
    error,
    async tell(what) {
      setBusy(true);
      setError(null);
      try {
        await what();
        return true;
      } catch (reason) {
        setError(reason instanceof Error ? reason.message : String(reason));
        return false;
      } finally {
        setBusy(false);
        lookNow();
      }
    },
  };
}

/** What a call answers, asked again whenever something may have changed. `undefined` until it first does. */
export function useAnswer<Data>(
  askFor: () => Promise<Data>,
  about: string,
): { data: Data | undefined; error: string | null; renew(): void } {
  const [answer, setAnswer] = useState<{ about: string; data: Data | undefined; error: string | null }>();
  const [turn, setTurn] = useState(0);
  const moment = beat.value;
  // These are what asks again, and not what is asked with.
  useEffect(() => {
    let isWanted = true;
    askFor().then(
      (data) => isWanted && setAnswer({ about, data, error: null }),
      (error: unknown) => {
        // Who can't be reached has said nothing new; the page says so elsewhere.
        if (!isWanted || error instanceof UnreachableError) return;
        setAnswer({ about, data: undefined, error: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [about, moment, turn]);
  const renew = () => setTurn(turn + 1);
  if (answer?.about !== about) return { data: undefined, error: null, renew };
  return { data: answer.data, error: answer.error, renew };
}

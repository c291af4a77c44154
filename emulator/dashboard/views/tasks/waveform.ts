import { useEffect, useState } from "preact/hooks";
import { messageOfThrown } from "../../../../src/contract/thrown.js";

interface LoadedAudio {
  blob?: Blob;
  url?: string;
  seconds?: number;
  /** The loudest sample of each part, from 0 to 1. */
  peaks?: readonly number[];
  problem?: string;
}

/** Loads audio completely: a player that loads it in parts keeps a request open, for which a virtual clock waits. */
export function useAudio(source: string): LoadedAudio {
  const [audio, setAudio] = useState<LoadedAudio>({});
  useEffect(() => {
    const unmounted = new AbortController();
    const add = (more: LoadedAudio) => {
      if (!unmounted.signal.aborted) setAudio((known) => ({ ...known, ...more }));
    };
    const load = async () => {
      const response = await fetch(source, { signal: unmounted.signal });
      if (!response.ok) throw new Error("The audio does not exist, or has expired.");
      const blob = await response.blob();
      const url = URL.createObjectURL(blob);
      unmounted.signal.addEventListener("abort", () => URL.revokeObjectURL(url));
      add({ blob, url });
      add(await waveformOf(blob));
    };
    load().catch((error: unknown) => add({ problem: messageOfThrown(error) }));
    return () => unmounted.abort();
  }, [source]);
  return audio;
}

const PARTS = 160;
/** Enough for a waveform, with less memory. */
const SAMPLE_RATE = 8000;

async function waveformOf(audio: Blob): Promise<LoadedAudio> {
  const bytes = await audio.arrayBuffer();
  const decoded = await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(bytes).catch(() => {
    throw new Error("This browser can't decode the audio for its waveform.");
  });
  const samples = decoded.getChannelData(0);
  const length = Math.max(1, Math.floor(samples.length / PARTS));
  const peaks = Array.from({ length: PARTS }, (_, part) => {
    let peak = 0;
    for (const sample of samples.subarray(part * length, (part + 1) * length))
      peak = Math.max(peak, Math.abs(sample));
    return peak;
  });
  const highest = Math.max(...peaks, 0.01);
  return { seconds: decoded.duration, peaks: peaks.map((peak) => peak / highest) };
}

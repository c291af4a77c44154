import { useEffect, useId, useRef, useState } from "preact/hooks";
import { messageOfThrown } from "../../../../src/contract/thrown.js";
import { shareAt } from "../../parts/drag.js";
import { formatBytes, formatDuration } from "../../parts/format.js";

/** The audio that plays now: only one does. */
let playing: HTMLAudioElement | null = null;

function onPlay({ currentTarget }: { currentTarget: HTMLAudioElement }): void {
  if (playing !== currentTarget) playing?.pause();
  playing = currentTarget;
}

/** Plays audio, and shows its waveform and its real type. */
export function Player({ source, title }: { source: string; title: string }) {
  const player = useRef<HTMLAudioElement>(null);
  const { blob, url, seconds, peaks, problem } = useAudio(source);
  const [played, setPlayed] = useState(0);

  const seek = (to: number) => {
    const { current } = player;
    if (current !== null && Number.isFinite(current.duration)) current.currentTime = to * current.duration;
  };
  const update = () => {
    const { current } = player;
    if (current !== null && current.duration > 0) setPlayed(current.currentTime / current.duration);
  };
  return (
    <div class="player">
      {peaks !== undefined ? (
        <WaveformImage peaks={peaks} played={played} onSeek={seek} />
      ) : (
        <p class="waveform waiting" aria-busy={problem === undefined}>
          {problem ?? "Loading the audio…"}
        </p>
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: the emulator makes no captions */}
      <audio
        ref={player}
        controls
        src={url}
        aria-label={title}
        onPlay={onPlay}
        onTimeUpdate={update}
        onSeeked={update}
      />
      {blob !== undefined && url !== undefined && (
        <small>
          <code>{blob.type}</code> · {formatBytes(blob.size)}
          {seconds !== undefined && ` · ${formatDuration(Math.floor(seconds) * 1000)}`} ·{" "}
          <a href={url} download={`${title}.${blob.type.split("/").at(-1)?.replace("mpeg", "mp3")}`}>
            Download
          </a>
        </small>
      )}
    </div>
  );
}

const HEIGHT = 48;
const MIN_BAR = 1;

/** A click seeks. For the keyboard, the player has its own controls. */
function WaveformImage(props: { peaks: readonly number[]; played: number; onSeek(to: number): void }) {
  const { peaks, played, onSeek } = props;
  const id = useId();
  const width = peaks.length * 4;
  const bars = peaks.map((peak, index) => {
    const half = Math.max(MIN_BAR, (peak * HEIGHT) / 2);
    return `M${index * 4 + 2} ${HEIGHT / 2 - half}v${half * 2}`;
  });
  return (
    <svg
      class="waveform"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onClick={({ currentTarget, clientX }) => onSeek(shareAt(currentTarget, clientX))}
    >
      <clipPath id={id}>
        <rect width={played * width} height={HEIGHT} />
      </clipPath>
      <path d={bars.join("")} />
      <path d={bars.join("")} class="heard" clip-path={`url(#${id})`} />
    </svg>
  );
}

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

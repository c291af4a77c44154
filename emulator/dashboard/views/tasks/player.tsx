import { useId, useRef, useState } from "preact/hooks";
import { formatBytes, formatDuration } from "../../parts/format.js";
import { useAudio } from "./waveform.js";

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
      onClick={({ currentTarget, clientX }) => {
        const { left, width: px } = currentTarget.getBoundingClientRect();
        onSeek((clientX - left) / px);
      }}
    >
      <clipPath id={id}>
        <rect width={played * width} height={HEIGHT} />
      </clipPath>
      <path d={bars.join("")} />
      <path d={bars.join("")} class="heard" clip-path={`url(#${id})`} />
    </svg>
  );
}

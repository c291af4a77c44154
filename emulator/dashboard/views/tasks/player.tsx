import { useEffect, useRef, useState } from "preact/hooks";
import { formatBytes, formatSpan } from "../../parts/format.js";
import { type Heard, hear } from "./hear.js";
import { Waveform } from "./waveform.js";

/** Plays audio, and shows its shape and what it really is. */
export function Player({ source, title }: { source: string; title: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [heard, setHeard] = useState<Heard | string | null>(null);
  const [part, setPart] = useState(0);

  useEffect(() => {
    const leaving = new AbortController();
    hear(source, leaving.signal).then(setHeard, (error: unknown) => {
      if (!leaving.signal.aborted) setHeard(error instanceof Error ? error.message : String(error));
    });
    return () => leaving.abort();
  }, [source]);

  const seek = (to: number) => {
    const player = audio.current;
    if (player !== null && Number.isFinite(player.duration)) player.currentTime = to * player.duration;
  };
  const follow = () => {
    const player = audio.current;
    if (player !== null && player.duration > 0) setPart(player.currentTime / player.duration);
  };
  return (
    <div class="player">
      {typeof heard === "object" && heard !== null ? (
        <Waveform peaks={heard.peaks} part={part} onSeek={seek} />
      ) : (
        <p class="waveform waiting" aria-busy={heard === null}>
          {heard ?? "Composing and listening…"}
        </p>
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: generated music has no captions; its words are in the answer */}
      <audio
        ref={audio}
        controls
        preload="metadata"
        src={source}
        aria-label={title}
        onTimeUpdate={follow}
        onSeeked={follow}
      />
      {typeof heard === "object" && heard !== null && (
        <small>
          <code>{heard.contentType}</code> · {formatBytes(heard.bytes)} · {formatSpan(heard.seconds * 1000)}
        </small>
      )}
    </div>
  );
}

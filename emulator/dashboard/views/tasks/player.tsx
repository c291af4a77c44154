import { useEffect, useRef, useState } from "preact/hooks";
import { formatBytes, formatSpan } from "../../parts/format.js";
import { download, type Shape, shapeOf } from "./hear.js";
import { Waveform } from "./waveform.js";

/** Audio that has come, and by which name the page's player knows it. */
interface Loaded {
  audio: Blob;
  url: string;
}

/** Plays audio, and shows its shape and what it really is. */
export function Player({ source, title }: { source: string; title: string }) {
  const player = useRef<HTMLAudioElement>(null);
  const { loaded, shape, problem } = useAudio(source);
  const [part, setPart] = useState(0);

  const seek = (to: number) => {
    const { current } = player;
    if (current !== null && Number.isFinite(current.duration)) current.currentTime = to * current.duration;
  };
  const follow = () => {
    const { current } = player;
    if (current !== null && current.duration > 0) setPart(current.currentTime / current.duration);
  };
  return (
    <div class="player">
      {shape !== null ? (
        <Waveform peaks={shape.peaks} part={part} onSeek={seek} />
      ) : (
        <p class="waveform waiting" aria-busy={problem === null}>
          {problem ?? "Composing and listening…"}
        </p>
      )}
      <audio
        ref={player}
        controls
        {...(loaded !== null && { src: loaded.url })}
        aria-label={title}
        onTimeUpdate={follow}
        onSeeked={follow}
      />
      {loaded !== null && (
        <small>
          <code>{loaded.audio.type}</code> · {formatBytes(loaded.audio.size)}
          {shape !== null && ` · ${formatSpan(Math.floor(shape.seconds) * 1000)}`}
        </small>
      )}
    </div>
  );
}

function useAudio(source: string): { loaded: Loaded | null; shape: Shape | null; problem: string | null } {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [shape, setShape] = useState<Shape | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      const audio = await download(source, leaving.signal);
      const url = URL.createObjectURL(audio);
      leaving.signal.addEventListener("abort", () => URL.revokeObjectURL(url));
      setLoaded({ audio, url });
      const seen = await shapeOf(audio);
      if (!leaving.signal.aborted) setShape(seen);
    };
    load().catch((error: unknown) => {
      if (!leaving.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => leaving.abort();
  }, [source]);
  return { loaded, shape, problem };
}

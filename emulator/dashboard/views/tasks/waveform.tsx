import { useId } from "preact/hooks";

const HEIGHT = 48;
const LEAST = 1;

/** The shape of a sound, of which a part was heard. The player's own controls do for the keyboard what a click does here. */
export function Waveform(props: { peaks: readonly number[]; part: number; onSeek(part: number): void }) {
  const { peaks, part, onSeek } = props;
  const id = useId();
  const path = peaks
    .map((peak, index) => {
      const half = Math.max(LEAST, (peak * HEIGHT) / 2);
      return `M${index * 4 + 2} ${HEIGHT / 2 - half}v${half * 2}`;
    })
    .join("");
  const width = peaks.length * 4;
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
        <rect width={part * width} height={HEIGHT} />
      </clipPath>
      <path d={path} />
      <path d={path} class="heard" clip-path={`url(#${id})`} />
    </svg>
  );
}

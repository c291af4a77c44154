import type { Clip, Task } from "../../../../src/contract/task.js";
import { now } from "../../live/now.js";
import { CopyButton } from "../../parts/copy-button.js";
import { formatSpan } from "../../parts/format.js";
import { Empty, Section } from "../../parts/section.js";
import { Player } from "./player.js";

const AUDIO_LIFETIME_MS = 7 * 86_400_000;

/** What a task has made, to be heard. */
export function Clips({ clips, task }: { clips: readonly Clip[]; task: Task }) {
  const goneAt = Date.parse(task.completed_at ?? "") + AUDIO_LIFETIME_MS;
  return (
    <Section title="Audio" aside={<Lifetime goneAt={goneAt} />}>
      {clips.length === 0 && <Empty>The provider was told to make no clips.</Empty>}
      {clips.map((clip) => (
        <ClipCard key={clip.id} clip={clip} isGone={now.value >= goneAt} />
      ))}
    </Section>
  );
}

function Lifetime({ goneAt }: { goneAt: number }) {
  const left = goneAt - now.value;
  if (left <= 0) return <small>Gone: its seven days are over</small>;
  return (
    <small class="lifetime">
      <progress max={AUDIO_LIFETIME_MS} value={left} aria-label="Time left of the seven days" />{" "}
      {formatSpan(left)} of its seven days left
    </small>
  );
}

function ClipCard({ clip, isGone }: { clip: Clip; isGone: boolean }) {
  const id = encodeURIComponent(clip.id);
  return (
    <article class="clip">
      {clip.image_url !== undefined && (
        <img
          src={`/_emulator/clips/${id}/art`}
          alt={`Cover of ${clip.title ?? "the clip"}`}
          width="112"
          height="112"
        />
      )}
      <div>
        <h3>{clip.title ?? "Clip"}</h3>
        {isGone ? (
          <Empty>
            <code>audio_url</code> is 404 for ever. The cover is the provider's, and stays.
          </Empty>
        ) : (
          <Player source={`/_emulator/clips/${id}/audio`} title={clip.title ?? "Clip"} />
        )}
        <p class="facts">
          <span>
            clip <code>{clip.id}</code> <CopyButton text={clip.id} label="Copy id" />
          </span>
          <CopyButton text={clip.audio_url} label="Copy audio_url" />
        </p>
      </div>
    </article>
  );
}

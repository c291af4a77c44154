import { LIMITS } from "../../../../src/contract/service.js";
import type { Clip, Task } from "../../../../src/contract/task.js";
import { Button, CopyButton, Empty, Section } from "../../parts/display.js";
import { formatDuration } from "../../parts/format.js";
import { now } from "../../store.js";
import { openDraft } from "./draft.js";
import { Player } from "./player.js";
import { expiresAt, spanMs } from "./segments.js";

/** The audio of a task. */
export function Clips({ clips, task }: { clips: readonly Clip[]; task: Task }) {
  const until = expiresAt(task.completed_at);
  return (
    <Section title="Audio" aside={clips.length > 0 && <Lifetime until={until} />}>
      {clips.length === 0 && <Empty>The outcome of this task has no clips.</Empty>}
      {clips.map((clip) => (
        <ClipCard key={clip.id} clip={clip} task={task} isExpired={now.value >= until} />
      ))}
    </Section>
  );
}

function Lifetime({ until }: { until: number }) {
  if (now.value >= until) return <small>Expired after 7 days</small>;
  const leftMs = spanMs(now.value, until);
  return (
    <small class="lifetime">
      <progress max={LIMITS.audioLifetimeMs} value={leftMs} aria-label="Time until the audio expires" />{" "}
      {formatDuration(leftMs)} of 7 days left
    </small>
  );
}

function ClipCard({ clip, task, isExpired }: { clip: Clip; task: Task; isExpired: boolean }) {
  const url = `/_emulator/clips/${encodeURIComponent(clip.id)}`;
  const title = clip.title ?? "Clip";
  return (
    <article class="clip">
      {clip.image_url !== undefined && (
        <img src={`${url}/art`} alt={`Cover of ${clip.title ?? "the clip"}`} width="112" height="112" />
      )}
      <div>
        <h3>{title}</h3>
        {isExpired ? (
          <Empty>
            <code>audio_url</code> responds with 404. The cover is stored by the provider, and stays.
          </Empty>
        ) : (
          <Player source={`${url}/audio`} title={title} />
        )}
        <p class="facts">
          <span>
            clip <code>{clip.id}</code> <CopyButton text={clip.id} label="Copy ID" />
          </span>
          <CopyButton text={clip.audio_url} label="Copy audio_url" />
        </p>
        {task.model === "provider_a" && <NextSteps clip={clip} />}
      </div>
    </article>
  );
}

/** The requests that a clip can be used for (Resources: Clip). */
function NextSteps({ clip: { id } }: { clip: Clip }) {
  return (
    <div class="buttons">
      <Button onClick={() => openDraft({ mode: "continuation", fields: { continue_clip_id: id } })}>
        Continue this clip
      </Button>
      <Button onClick={() => openDraft({ type: "concat", fields: { clip_id: id } })}>Concatenate</Button>
    </div>
  );
}

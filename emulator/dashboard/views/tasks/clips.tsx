import { LIMITS } from "../../../../src/contract/service.js";
import type { Clip, Task } from "../../../../src/contract/task.js";
import { Button, CopyButton, Empty, Section } from "../../parts/display.js";
import { formatDuration } from "../../parts/format.js";
import { now } from "../../store.js";
import { openDraft } from "./draft.js";
import { Player } from "./player.js";
import { spanMs } from "./segments.js";

/** The audio of a task. */
export function Clips({ clips, task }: { clips: readonly Clip[]; task: Task }) {
  const expiresAt = Date.parse(task.completed_at ?? "") + LIMITS.audioLifetimeMs;
  return (
    <Section title="Audio" aside={clips.length > 0 && <Lifetime expiresAt={expiresAt} />}>
      {clips.length === 0 && <Empty>The outcome of this task has no clips.</Empty>}
      {clips.map((clip) => (
        <ClipCard key={clip.id} clip={clip} task={task} isExpired={now.value >= expiresAt} />
      ))}
    </Section>
  );
}

function Lifetime({ expiresAt }: { expiresAt: number }) {
  if (now.value >= expiresAt) return <small>Expired after 7 days</small>;
  const leftMs = spanMs(now.value, expiresAt);
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
  const draft = { model: "provider_a", format: "" } as const;
  const continued = {
    ...draft,
    type: "music",
    mode: "continuation",
    fields: { continue_clip_id: id },
  } as const;
  return (
    <div class="buttons">
      <Button onClick={() => openDraft(continued)}>Continue this clip</Button>
      <Button onClick={() => openDraft({ ...draft, type: "concat", fields: { clip_id: id } })}>
        Concatenate
      </Button>
    </div>
  );
}

import type { TaskType } from "../../../src/contract/models.js";
import type { InputVariant } from "../../../src/contract/request-rules.js";
import { inputVariant } from "../../../src/contract/request-rules.js";
import type { Account } from "../accounts/account.js";
import type { ProviderTask } from "../providers/brief.js";
import type { World } from "../state/world.js";
import type { StoredClip } from "../stored/clip.js";

/** Which tasks' clips can be used by whom: continuation takes music and uploads, concat takes music. */
const SOURCES: Readonly<Partial<Record<InputVariant, { field: string; types: readonly TaskType[] }>>> = {
  continuation: { field: "continue_clip_id", types: ["music", "upload"] },
  concat: { field: "clip_id", types: ["music"] },
};

/** Whether the input must name a clip of the account's own, and names none. Clips belong to the account, not the key. */
export function namesUnknownClip(
  { index }: Pick<World, "index">,
  account: Account,
  { model, type, input }: ProviderTask,
): boolean {
  const wanted = SOURCES[inputVariant(model, type, input)];
  if (wanted === undefined) return false;
  const source: StoredClip | undefined = index.clips.get(String(input[wanted.field]));
  return (
    source === undefined || source.task.accountId !== account.id || !wanted.types.includes(source.task.type)
  );
}

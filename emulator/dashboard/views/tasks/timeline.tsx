import type { Task } from "../../../../src/contract/task.js";
import type { TaskDetails } from "../../client/client.js";
import { now } from "../../live/now.js";
import { requests } from "../../live/store.js";
import { formatSpan } from "../../parts/format.js";
import { Time } from "../../parts/time.js";
import { eventsOf } from "./timeline-events.js";

/** What happened to a task, and what is to come. */
export function Timeline({ details, task }: { details: TaskDetails; task: Task }) {
  const began = Date.parse(task.created_at ?? "");
  return (
    <ol class="timeline">
      {eventsOf(details, task, requests.value.list).map(({ at, what, note }) => {
        const time = Date.parse(at);
        const isAhead = time > now.value;
        return (
          <li key={`${at} ${what}`} class={isAhead ? "ahead" : ""}>
            <strong>{what}</strong>
            {note !== undefined && <span> {note}</span>}
            <br />
            <small>
              <Time at={at} />
              {time > began && ` · after ${formatSpan(time - began)}`}
              {isAhead && ` · in ${formatSpan(time - now.value)}`}
            </small>
          </li>
        );
      })}
    </ol>
  );
}

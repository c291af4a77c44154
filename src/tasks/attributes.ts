import type { Redactor } from "../http/redactor.js";
import type { SpanAttributes } from "../http/tracer.js";

/** The span attributes of a request. In JavaScript a request may be anything, and the key may stand in it. */
export function attributesOf(request: unknown, { text }: Pick<Redactor, "text">): SpanAttributes {
  const { model, task_type } = Object(request);
  return { "async_music.model": text(String(model)), "async_music.task_type": text(String(task_type)) };
}

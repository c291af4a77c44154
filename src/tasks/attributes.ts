import type { SpanAttributes } from "../telemetry/tracer.js";

/** What a trace tells of a request; what a caller of JavaScript sends may be anything. */
export function attributesOf(request: unknown): SpanAttributes {
  const { model, task_type } = Object(request);
  return { "async_music.model": String(model), "async_music.task_type": String(task_type) };
}

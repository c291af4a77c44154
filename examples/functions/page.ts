import { isMusic } from "async-music";
import type { Ends } from "./delivery.ts";
import { WORKING } from "./order.ts";

/** The page of an order. It loads again every two seconds until the order has ended. */
export function showSong(ends: Ends, order: string): Response {
  const end = ends.get(order);
  return new Response(
    `<!doctype html>\n<meta charset="utf-8">\n<title>Your song</title>\n${partsOf(end)}\n`,
    {
      headers: { "Content-Type": "text/html", ...(end === undefined && { Refresh: "2" }) },
    },
  );
}

function partsOf(end: ReturnType<Ends["get"]>): string {
  if (end === undefined) return "<p>Your song is being made.</p>";
  const { task } = end;
  // The task could not be read, or its result is unusable: only a failed task is certainly not charged.
  if (task === null) return `<p>${WORKING}</p>`;
  if (task.status !== "success" || !isMusic(task)) return "<p>There is no song: the order failed.</p>";
  return task.output.result
    .map(
      ({ title, audio_url: url }) =>
        `<h1>${escaped(title ?? "Your song")}</h1>\n<audio controls src="${escaped(url)}"></audio>`,
    )
    .join("\n");
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

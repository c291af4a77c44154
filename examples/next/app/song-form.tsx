"use client";

import { type FormEvent, useEffect, useState } from "react";
import type { Song } from "../songs.ts";

/** Orders a song and shows its progress. The address of the page contains the song, so that it survives a reload. */
export function SongForm() {
  const [id, setId] = useState<string | null>(null);
  const [song, setSong] = useState<Song | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isOrdering, setIsOrdering] = useState(false);

  useEffect(() => setId(location.hash.slice(1) || null), []);
  useEffect(() => {
    if (id === null) return;
    const events = new EventSource(`/api/songs/${id}/events`);
    // The browser connects again after a lost connection.
    events.onmessage = ({ data }) => {
      const received: Song = JSON.parse(data);
      setSong(received);
      if (received.status !== "pending") events.close();
    };
    events.addEventListener("wait_error", ({ data }) => {
      setProblem(`The song can't be followed: ${JSON.parse(data).name}. Reload the page to try again.`);
      events.close();
    });
    return () => events.close();
  }, [id]);

  async function order(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const description = new FormData(event.currentTarget).get("description");
    setIsOrdering(true);
    setProblem(null);
    try {
      const response = await fetch("/api/songs", { method: "POST", body: JSON.stringify({ description }) });
      const body = await response.json();
      if (!response.ok) return setProblem(body.issues?.[0]?.message ?? body.error);
      const ordered = body.status_url.split("/").at(-1);
      history.replaceState(null, "", `#${ordered}`);
      setSong(null);
      setId(ordered);
    } catch {
      // The order may have been received, so it is not repeated by itself.
      setProblem("No response. The song may have been ordered.");
    } finally {
      setIsOrdering(false);
    }
  }

  const isPending =
    isOrdering || (id !== null && problem === null && (song === null || song.status === "pending"));
  const progress = song?.status === "pending" ? song.progress : 0;
  return (
    <>
      <form onSubmit={order}>
        <label>
          Describe a song: <input name="description" required maxLength={200} />
        </label>{" "}
        <button type="submit" disabled={isPending}>
          Order
        </button>
      </form>
      {isPending && (
        <p>
          <progress value={progress} aria-label="Progress of the song" /> {Math.round(100 * progress)} %
        </p>
      )}
      {song?.status === "ready" &&
        song.clips.map((clip) => (
          // biome-ignore lint/a11y/useMediaCaption: a song has no captions.
          <audio key={clip.id} controls src={`/api/songs/${id}/audio/${clip.id}`} />
        ))}
      {song?.status === "failed" && <p role="alert">The song failed: {song.reason}</p>}
      {problem !== null && <p role="alert">{problem}</p>}
    </>
  );
}

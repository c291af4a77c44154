"use client";

import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import type { Song } from "../orders.ts";

/** Orders a song and shows its progress. The address of the page contains the order, so that it survives a reload. */
export function SongForm() {
  const [order, setOrder] = useState<string | null>(null);
  const [song, setSong] = useState<Song | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isOrdering, setIsOrdering] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // A second click sends the same order. Another description is another order.
  const next = useRef<string | null>(null);

  const send = useCallback(async (key: string, description: string) => {
    const body = JSON.stringify({ description });
    setIsOrdering(true);
    setOrder(null);
    setSong(null);
    const response = await fetch(`/api/songs/${key}`, { method: "PUT", body }).catch(() => null);
    setIsOrdering(false);
    if (response?.status === 400) return setProblem("Describe the song in other words.");
    if (response?.status === 402) return setProblem("No song can be ordered at the moment.");
    if (response?.status === 409) return setProblem("Change the words to order another song.");
    if (!response?.ok)
      return setProblem(
        "The order was not confirmed. Click again later: it is charged once, unless you change the words.",
      );
    sessionStorage.removeItem(key);
    setProblem(null);
    setOrder(key);
  }, []);

  // A reload continues with the order of the address. An order that is not confirmed is sent again.
  useEffect(() => {
    const key = location.hash.slice(1);
    const unconfirmed = sessionStorage.getItem(key);
    if (unconfirmed === null) return setOrder(key || null);
    next.current = key;
    if (input.current !== null) input.current.value = unconfirmed;
    void send(key, unconfirmed);
  }, [send]);
  useEffect(() => {
    if (order === null) return;
    const show = (received: Song) => {
      setSong(received);
      // After the end of a song, the next click is another order.
      if (received.status !== "pending") next.current = null;
    };
    return follow(order, show, setProblem);
  }, [order]);

  function edit() {
    next.current = null;
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const description = String(new FormData(event.currentTarget).get("description"));
    const key = next.current ?? crypto.randomUUID();
    next.current = key;
    history.replaceState(null, "", `#${key}`);
    sessionStorage.setItem(key, description);
    void send(key, description);
  }

  const isPending =
    isOrdering || (order !== null && problem === null && (song === null || song.status === "pending"));
  const progress = song?.status === "pending" ? song.progress : 0;
  return (
    <>
      <form onSubmit={submit}>
        <label>
          Describe a song: <input name="description" required maxLength={200} ref={input} onChange={edit} />
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
          <audio key={clip.id} controls src={`/api/songs/${order}/audio/${clip.id}`} />
        ))}
      {song?.status === "failed" && <p role="alert">The song failed. {song.advice}</p>}
      {problem !== null && <p role="alert">{problem}</p>}
    </>
  );
}

/** Reads the progress of an order until its song has ended. Returns a function that stops it. */
function follow(
  order: string,
  show: (song: Song) => void,
  setProblem: (problem: string | null) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let events: EventSource;
  const connect = () => {
    events = new EventSource(`/api/songs/${order}/events`);
    events.onmessage = ({ data }) => {
      const song: Song = JSON.parse(data);
      setProblem(null);
      show(song);
      if (song.status !== "pending") events.close();
    };
    events.onerror = () => {
      setProblem("Waiting for the server");
      if (events.readyState !== EventSource.CLOSED) return;
      // After an error response, for example of a proxy, the browser does not connect again by itself.
      setProblem("The server returned an error. Trying again");
      timer = setTimeout(connect, 3000);
    };
    events.addEventListener("wait_error", ({ data }) => {
      setProblem(`${JSON.parse(data).name}: reload the page to try again`);
      events.close();
    });
  };
  connect();
  return () => {
    clearTimeout(timer);
    events.close();
  };
}

import type { JsonValue } from "../../src/contract/json.js";
import type { AudioFormat } from "../audio/formats/formats.js";

/** A clip as the service keeps it: everything that its audio and its wire form are made from. */
export interface StoredClip {
  id: string;
  sound: Sound;
  /** The format of the provider's own file. */
  sourceFormat: AudioFormat;
  /** The format that `audio_url` points at: the source's, or what the service converted it to. */
  format: AudioFormat;
  /** Whether the service has a copy; if not, `audio_url` points at the provider. */
  stored: boolean;
  alternateUrls: string[] | null;
  /** What music clips show besides; `null` for upload and concat clips. */
  details: ClipDetails | null;
}

export interface ClipDetails {
  title: string;
  durationSeconds: number;
  tags: string;
  prompt: string;
  /** What only this provider says of its clips. */
  extras: Readonly<Record<string, JsonValue>>;
}

/** What a clip sounds like. */
export type Sound = SongSound | JoinedSound;

export interface SongSound {
  kind: "song";
  /** What describes the song. */
  text: string;
  /** What is sung. */
  lyrics: string;
  seed: number;
  durationSeconds: number;
  instrumental: boolean;
  /** The clip that this one goes on from, and where, in seconds; `null` for the clip's end. */
  continues: { clipId: string; atSeconds: number | null } | null;
}

/** The whole song that a continued clip is the end of. */
export interface JoinedSound {
  kind: "joined";
  clipId: string;
}

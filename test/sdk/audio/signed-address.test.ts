import { AudioDownloadError, AudioExpiredError } from "async-music";
import { saveAudio } from "async-music/node";
import { describe, expect, test } from "vitest";
import { createFolder } from "../../support/folder.js";
import { lost } from "../../support/responses.js";
import { type Answerer, createWorld } from "../../support/world.js";
import { brokenAfter, ETAG, failure, LENGTH, mp3, SONG } from "./support.js";

// A file server may sign the address of audio: who has such an address can download the file.

const SIGNED = "https://audio.example/song?X-Amz-Signature=5ec4e7&part=1#5ec4e7";
const SHOWN = "https://audio.example/song?X-Amz-Signature=REDACTED&part=REDACTED";

describe("the signature of an address is in no event, log line and message, but in the `url` of the error", () => {
  test.each<[what: string, answer: Answerer, how?: "spool" | "twice" | "save"]>([
    ["a 403", failure(403)],
    ["a 404", failure(404)],
    ["a 503", failure(503, { "Retry-After": "9" })],
    ["a redirect that was not followed", failure(304)],
    ["a lost connection", lost],
    ["HTML", () => mp3("no", { "Content-Type": "text/html" })],
    ["an empty body", () => mp3(null)],
    ["a body that is too large", () => mp3(SONG, LENGTH)],
    ["a body of unknown size that is too large", () => mp3(SONG)],
    ["a body that breaks off", () => mp3(brokenAfter("la"), ETAG)],
    ["a body that is read before", () => mp3("la"), "twice"],
    ["a body that is saved in part", () => mp3(brokenAfter("la"), ETAG), "save"],
    ["a body that is read into memory first", () => mp3(brokenAfter("la"), ETAG), "spool"],
  ])("%s", async (_, answer, how) => {
    const shown: unknown[] = [];
    const log = (line: string) => void shown.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const { client } = createWorld(answer, { logger, logLevel: "debug" });
    client.on("attempt", (event) => shown.push(event));
    client.on("response", (event) => shown.push(event));
    client.on("retry", ({ error }) => shown.push(Object(error).message));
    const read = async () => {
      const size = how === "spool" ? "required" : undefined;
      const audio = await client.audio.download(SIGNED, { maxBytes: 5, size });
      if (how === "save") await saveAudio(audio, `${await createFolder()}/song`);
      await audio.arrayBuffer();
      if (how === "twice") await audio.arrayBuffer();
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toSatisfy((thrown) =>
      [AudioDownloadError, AudioExpiredError].some((kind) => thrown instanceof kind),
    );
    expect(error).toHaveProperty("url", SIGNED);
    shown.push(Object(error).message, Object(error).parts);
    expect(JSON.stringify(shown)).toContain(SHOWN);
    expect(JSON.stringify(shown)).not.toContain("5ec4e7");
  });
});

import { createHash } from "node:crypto";
import { vi } from "vitest";

// Most long tests make the same few songs again and again. Each is encoded once for a file of tests, which takes half their time.

/** A test of many different songs would keep gigabytes. */
const MOST_FILES = 50;

vi.mock("../../emulator/audio/mp3.js", async (original) => {
  const { encodeMp3, ...others } = await original<typeof import("../../emulator/audio/mp3.js")>();
  const files = new Map<string, ReturnType<typeof encodeMp3>>();
  const encodeOnce: typeof encodeMp3 = async (samples, pause) => {
    const key = createHash("md5").update(samples).digest("base64");
    const encoded = files.get(key) ?? encodeMp3(samples, pause);
    files.set(key, encoded);
    for (const oldest of files.keys()) if (files.size > MOST_FILES) files.delete(oldest);
    encoded.catch(() => files.delete(key));
    return (await encoded).slice();
  };
  return { ...others, encodeMp3: encodeOnce };
});

import { createHash } from "node:crypto";
import { vi } from "vitest";

// Most long tests make the same few songs again and again. Each is encoded once for a file of tests, which takes half their time.

vi.mock("../../emulator/audio/mp3.js", async (original) => {
  const { encodeMp3, ...others } = await original<typeof import("../../emulator/audio/mp3.js")>();
  const files = new Map<string, ReturnType<typeof encodeMp3>>();
  const encodeOnce: typeof encodeMp3 = async (samples, pause) => {
    const key = createHash("md5").update(samples).digest("base64");
    const encoded = files.get(key) ?? encodeMp3(samples, pause);
    files.set(key, encoded);
    encoded.catch(() => files.delete(key));
    return (await encoded).slice();
  };
  return { ...others, encodeMp3: encodeOnce };
});

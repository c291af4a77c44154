import { describe, expect, it } from "vitest";
import type { EmulatorOptions, Outcome } from "../../emulator/index.js";
import { createService, field } from "./emulated-service.js";
import { SAMPLES } from "./tables/samples.js";
import { read, submit } from "./tasks-of-the-emulator.js";

/** `audio_format` behaviour: what is asked for, what the provider makes, and what the audio's answer then says it is. */
const FORMATS: readonly {
  name: string;
  asked: "mp3" | undefined;
  outcome: Outcome;
  policy: object;
  type: string;
}[] = [
  { name: "omitted, of WAV", asked: undefined, outcome: { format: "wav" }, policy: {}, type: "audio/wav" },
  { name: "omitted, of MP3", asked: undefined, outcome: { format: "mp3" }, policy: {}, type: "audio/mpeg" },
  { name: "mp3, of WAV", asked: "mp3", outcome: { format: "wav" }, policy: {}, type: "audio/mpeg" },
  {
    name: "mp3, where the conversion fails",
    asked: "mp3",
    outcome: { format: "wav" },
    policy: { audio_conversion: "failing" },
    type: "audio/wav",
  },
  {
    name: "mp3, where the service could not store the clip",
    asked: "mp3",
    outcome: { format: "wav", storable: false },
    policy: {},
    type: "audio/wav",
  },
];

describe("`audio_format` behaviour", () => {
  it.each(FORMATS)("$name: $type", async ({ asked, outcome, policy, type }) => {
    const { service, clip, task } = await song(
      { policy },
      outcome,
      asked === undefined ? {} : { audio_format: asked },
    );
    expect(field(task, "audio_format")).toBe(asked ?? null);
    const audio = await service.emulator.fetch(audioUrl(clip), { method: "HEAD" });
    expect([audio.status, audio.headers.get("Content-Type")]).toEqual([200, type]);
  });

  it("delivers as it is what is MP3 already", async () => {
    const hashes = await Promise.all(
      [{}, { audio_format: "mp3" }].map(async (more) => {
        const { service, clip } = await song({ seed: 57 }, { format: "mp3" }, more);
        const audio = await service.emulator.fetch(audioUrl(clip));
        const digest = await crypto.subtle.digest("SHA-256", await audio.arrayBuffer());
        return Buffer.from(digest).toString("hex");
      }),
    );
    expect(new Set(hashes).size).toBe(1);
  });
});

describe("alternate URLs of a clip", () => {
  const elsewhere = "https://mirror.example/a";

  it("that lead to a provider are removed from a clip that the service stored", async () => {
    const { clip } = await song({}, { alternate_urls: [`${await providerOrigin()}/copy`, elsewhere] });
    expect(field(clip, "alternate_urls")).toEqual([elsewhere]);
  });

  it("vanish with their field where none is left", async () => {
    const { clip } = await song({}, { alternate_urls: [`${await providerOrigin()}/copy`] });
    expect(clip).not.toHaveProperty("alternate_urls");
  });

  it("pass through unchanged on a clip that the service could not store, which is at the provider's", async () => {
    const alternate_urls = [`${await providerOrigin()}/copy`, elsewhere];
    const { clip } = await song({}, { storable: false, alternate_urls });
    expect(field(clip, "alternate_urls")).toEqual(alternate_urls);
    expect(new URL(audioUrl(clip)).origin).toBe(await providerOrigin());
  });
});

/** A song of `provider_a`, made at its first read. */
async function song(options: EmulatorOptions, outcome: Outcome, more: object = {}) {
  const service = createService(options);
  service.emulator.providers.provider_a.next({ ...outcome, clips: 1, polls: 1 });
  const taskId = await submit(service, { ...SAMPLES["provider_a music"], ...more });
  const { data: task } = await read(service, taskId);
  const result = field(field(task, "output"), "result");
  return { service, task, clip: Array.isArray(result) ? result[0] : undefined };
}

/** Where the providers serve what the service does not: the cover art is always there. */
async function providerOrigin(): Promise<string> {
  const { clip } = await song({}, {});
  return new URL(String(field(clip, "image_url"))).origin;
}

function audioUrl(clip: unknown): string {
  return String(field(clip, "audio_url"));
}

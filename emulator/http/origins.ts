import type { Model } from "../../src/contract/models.js";

/** The addresses at which one adapter serves the emulator. */
export interface Origins {
  /** The service address, which may have a path: `https://api.example.com/music`. */
  readonly service: string;
  readonly providers: Readonly<Record<Model, string>>;
}

/** The addresses in the process: names that no network can resolve. */
const IN_PROCESS_ORIGINS: Origins = {
  service: "https://api.async-music.test",
  providers: { provider_a: "https://provider-a.test", provider_b: "https://provider-b.test" },
};

/** The addresses of an emulator in its process. With a `url`, the service's own files are below that, too. */
export function inProcessOrigins(url: string = IN_PROCESS_ORIGINS.service): Origins {
  return { ...IN_PROCESS_ORIGINS, service: url };
}

export function isProviderOrigin(origin: string): boolean {
  return Object.values(IN_PROCESS_ORIGINS.providers).includes(origin);
}

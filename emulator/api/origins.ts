import type { Model } from "../../src/contract/model.js";

/** Where the emulator is reached by way of one mount. */
export interface Origins {
  readonly service: string;
  readonly providers: Readonly<Record<Model, string>>;
}

/** Where the emulator is without a network: names that no network can resolve. */
export const IN_PROCESS_ORIGINS: Origins = {
  service: "https://api.async-music.test",
  providers: { provider_a: "https://provider-a.test", provider_b: "https://provider-b.test" },
};

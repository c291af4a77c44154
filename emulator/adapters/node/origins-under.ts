import type { Origins } from "../../http/origins.js";

/**
 * The origins as they are for who asked under this name: another container, for example, reaches by its own name for us
 * what is `127.0.0.1` here. The port of the providers is none that the request names, and stays.
 */
export function originsUnder(host: string | undefined, own: Origins): Origins {
  const asked = `http://${host}`;
  if (host === undefined || !URL.canParse(asked)) return own;
  // What is more than a name and a port is none that a client can have reached us by.
  if (/[/?#@\\\s]/.test(host)) return own;
  const { origin, hostname } = new URL(asked);
  const providerAt = (provider: string) => {
    const url = new URL(provider);
    url.hostname = hostname;
    return url.origin;
  };
  const { provider_a: a, provider_b: b } = own.providers;
  return { service: origin, providers: { provider_a: providerAt(a), provider_b: providerAt(b) } };
}

import type { Origins } from "../http/messages.js";

export interface Addresses {
  /** `null` until every site listens. */
  origins: Origins | null;
  /** Whether URLs in responses have the name in any `Host`, not only those of `allowedHosts`. */
  readonly followHost: boolean;
  /** The host names that open the control plane to other machines. */
  readonly allowedHosts: readonly string[];
}

type OriginsOfHost = (host: string | undefined, own: Origins) => Origins;

/** The addresses for URLs in responses, by the `Host` of a request. Requests that follow each other often have the same one. */
export function originsByHost(addresses: Addresses): OriginsOfHost {
  let last: { host: string | undefined; origins: Origins } | null = null;
  return (host, own) => {
    if (last === null || host !== last.host) last = { host, origins: originsUnder(host, own, addresses) };
    return last.origins;
  };
}

/** The origins under the host name of a request, such as a container's. The providers' port is their own. */
function originsUnder(
  host: string | undefined,
  own: Origins,
  { followHost, allowedHosts }: Addresses,
): Origins {
  // A `Host` of anything but a name and a port is ignored.
  if (host === undefined || !URL.canParse(`http://${host}`) || /[/?#@\\\s]/.test(host)) return own;
  const { origin, hostname } = new URL(`http://${host}`);
  if (!followHost && !allowedHosts.includes(hostname)) return own;
  const provider = new URL(own.providers.provider_a);
  provider.hostname = hostname;
  return { service: origin, providers: { provider_a: provider.origin, provider_b: provider.origin } };
}

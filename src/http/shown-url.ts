/** An address for spans, logs, events and messages, without the values of its query: any of them may be a signature. */
export function withoutSecrets({ href }: URL): string {
  const url = new URL(href);
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, "REDACTED");
  url.hash = "";
  return url.href;
}

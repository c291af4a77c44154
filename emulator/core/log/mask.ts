/** What is shown instead of a secret: only the last four characters, in ASCII since header values must be. */
export function mask(secret: string): string {
  return `****${secret.length > 8 ? secret.slice(-4) : ""}`;
}

/** Masks the API key of a request wherever a text contains it. A shorter value is no key, and may be part of any word. */
export function maskKey(key: string | null, text: string): string {
  return key === null || key.length < 8 ? text : text.replaceAll(key, mask(key));
}

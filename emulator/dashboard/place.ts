import { computed, signal } from "@preact/signals";

/**
 * Where in the page one is, which is what stands behind the address's `#`: a path, and what is filtered and chosen
 * there. Whoever loads the page again is where they were.
 */
const address = signal("");

const url = computed(() => new URL(address.value.replace(/^#/, "") || "/", "http://page"));

/** The path's parts: none is the first view. */
export const path = computed(() => url.value.pathname.split("/").filter((part) => part !== ""));

export function param(name: string): string {
  return url.value.searchParams.get(name) ?? "";
}

/** Keeps in step with the address. */
export function followAddress(): void {
  const read = () => {
    address.value = location.hash;
  };
  addEventListener("hashchange", read);
  read();
}

/** A link to a place, which keeps the account that was chosen. */
export function linkTo(to: string, params: Record<string, string> = {}): string {
  const account = param("account");
  const search = new URLSearchParams({ ...(account !== "" && { account }), ...params });
  return search.size === 0 ? `#${to}` : `#${to}?${search}`;
}

export function goTo(to: string, params?: Record<string, string>): void {
  location.hash = linkTo(to, params);
}

/** Changes what is filtered or chosen here, without a step to go back to. */
export function setParam(name: string, value: string): void {
  const { pathname, searchParams } = new URL(url.value);
  if (value === "") searchParams.delete(name);
  else searchParams.set(name, value);
  const hash = searchParams.size === 0 ? `#${pathname}` : `#${pathname}?${searchParams}`;
  history.replaceState(null, "", hash);
  address.value = hash;
}

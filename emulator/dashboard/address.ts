import { computed, signal } from "@preact/signals";

/** The part of the address behind `#`: a path with filters, so that a reload or a bookmark shows the same view. */
const hash = signal("");

const url = computed(() => new URL(hash.value.replace(/^#?\/*/, "/"), "http://page"));

/** The parts of the path; none for the first view. */
export const path = computed(() => url.value.pathname.split("/").filter((part) => part !== ""));

export function param(name: string): string {
  return url.value.searchParams.get(name) ?? "";
}

export function followAddress(): void {
  const read = () => {
    hash.value = location.hash;
  };
  addEventListener("hashchange", read);
  read();
}

/** A link to a view with filters, which keeps the chosen account. */
export function linkTo(to: string, filters: Readonly<Record<string, string>> = {}): string {
  const account = param("account");
  const params = new URLSearchParams({ ...(account !== "" && { account }), ...filters });
  return params.size === 0 ? `#${to}` : `#${to}?${params}`;
}

export function goTo(to: string): void {
  location.hash = linkTo(to);
}

/** A link to this view with one filter changed. */
export function linkWith(name: string, value: string): string {
  const { pathname, searchParams } = new URL(url.value);
  if (value === "") searchParams.delete(name);
  else searchParams.set(name, value);
  return searchParams.size === 0 ? `#${pathname}` : `#${pathname}?${searchParams}`;
}

/** Changes a filter without a new entry in the history. */
export function setParam(name: string, value: string): void {
  // The reader may have left this view a moment ago, and `hashchange` is still to come.
  hash.value = location.hash;
  const changed = linkWith(name, value);
  history.replaceState(null, "", changed);
  hash.value = changed;
}

/** Connects a control to a filter. */
export function bindParam(name: string) {
  return { value: param(name), onChange: (value: string) => setParam(name, value) };
}

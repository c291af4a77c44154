import { computed, signal } from "@preact/signals";

/** The part of the address behind `#`: a path with filters, so that a reload or a bookmark shows the same view. */
const hash = signal("");

const url = computed(() => new URL(hash.value.replace(/^#/, "") || "/", "http://page"));

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

/** A link to a view, which keeps the chosen account. */
export function linkTo(to: string): string {
  const account = param("account");
  return account === "" ? `#${to}` : `#${to}?${new URLSearchParams({ account })}`;
}

export function goTo(to: string): void {
  location.hash = linkTo(to);
}

/** Changes a filter without a new entry in the history. */
export function setParam(name: string, value: string): void {
  const { pathname, searchParams } = new URL(url.value);
  if (value === "") searchParams.delete(name);
  else searchParams.set(name, value);
  const changed = searchParams.size === 0 ? `#${pathname}` : `#${pathname}?${searchParams}`;
  history.replaceState(null, "", changed);
  hash.value = changed;
}

/** Connects a control to a filter. */
export function bindParam(name: string) {
  return { value: param(name), onChange: (value: string) => setParam(name, value) };
}

import { signal } from "@preact/signals";

const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "async-music-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

export const theme = signal<Theme>("auto");

/** Increases when the colors change, for what is drawn on a canvas. */
export const colors = signal(0);

export function followTheme(): void {
  const stored = localStorage.getItem(STORAGE_KEY);
  setTheme(THEMES.find((each) => each === stored) ?? "auto");
  systemIsDark.addEventListener("change", () => colors.value++);
}

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", chosen);
  localStorage.setItem(STORAGE_KEY, chosen);
  colors.value++;
}

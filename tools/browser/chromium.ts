/** Debian's Chromium without windows, which starts and draws faster than the whole browser; `CHROMIUM` names another one. */
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell";

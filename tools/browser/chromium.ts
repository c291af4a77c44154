/**
 * Debian's Chromium without windows, which starts and draws faster than the whole browser; `CHROMIUM` names another one. It is the
 * program itself: the script of this name in `/usr/bin` would end without its browser.
 */
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/lib/chromium/chromium-headless-shell";

import { useLayoutEffect, useRef } from "preact/hooks";

const ROWS = "tr, li, [role=row], .buttons";
const HOMES = "section, [popover], main";
const CONTROLS = "button:not([disabled]), a[href], input, select, textarea, summary";

/**
 * Keeps the keyboard focus near a control that disappears while it has the focus: in its row, else in the next row or the one before,
 * else in its part of the page. Without it, the focus falls to the top of the page.
 */
export function useKeptFocus<Control extends HTMLElement>() {
  const control = useRef<Control>(null);
  useLayoutEffect(
    () => () => {
      const { current } = control;
      if (current === null || document.activeElement !== current) return;
      const row = current.closest(ROWS);
      const near = [row, row?.nextElementSibling, row?.previousElementSibling, current.closest(HOMES)];
      const text = current.textContent;
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        const found = near.flatMap((each) =>
          each?.isConnected ? [[...each.querySelectorAll<HTMLElement>(CONTROLS)]] : [],
        );
        const [controls = []] = found.filter(({ length }) => length > 0);
        (controls.find(({ textContent }) => textContent === text) ?? controls[0])?.focus();
      });
    },
    [],
  );
  return control;
}

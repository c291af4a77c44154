import { useEffect } from "preact/hooks";

/** Acts on Escape, wherever the focus is, unless the key closes or clears something else. */
export function useEscape(act: () => void): void {
  useEffect(() => {
    const listen = ({ key, target }: KeyboardEvent) => {
      const closesAnother =
        (target instanceof Element && target.closest("search, dialog")) ||
        document.querySelector(":popover-open") !== null;
      if (key === "Escape" && !closesAnother) act();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

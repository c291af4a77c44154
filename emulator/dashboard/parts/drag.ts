import { useRef, useState } from "preact/hooks";

type Pointed = PointerEvent & { readonly currentTarget: Element };

/** The horizontal position of a pointer within an element, from 0 to 1. */
export function shareAt(element: Element, clientX: number): number {
  const { left, width } = element.getBoundingClientRect();
  return Math.min(Math.max((clientX - left) / width, 0), 1);
}

/** A part of the width of an element, from 0 to 1. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Selects a part of an element with a drag over it.
 *
 * @param least - A shorter drag is a click, which selects nothing.
 * @returns the part that is being selected, and the listeners of the element
 */
export function useDrag(least: number, onSelect: (part: Span) => void) {
  // An event may come before the page was drawn after the one before.
  const start = useRef<number | null>(null);
  const [drag, setDrag] = useState<Span | null>(null);
  const begin = (at: number | null) => {
    start.current = at;
    setDrag(null);
  };
  const partUpTo = ({ currentTarget, clientX }: Pointed): Span | null => {
    if (start.current === null) return null;
    const end = shareAt(currentTarget, clientX);
    return { from: Math.min(start.current, end), to: Math.max(start.current, end) };
  };
  const listeners = {
    onPointerDown({ currentTarget, pointerId, clientX }: Pointed) {
      currentTarget.setPointerCapture(pointerId);
      begin(shareAt(currentTarget, clientX));
    },
    onPointerMove: (event: Pointed) => setDrag(partUpTo(event)),
    onPointerUp(event: Pointed) {
      const part = partUpTo(event);
      begin(null);
      if (part !== null && part.to - part.from > least) onSelect(part);
    },
    onPointerCancel: () => begin(null),
  };
  return { drag, listeners };
}

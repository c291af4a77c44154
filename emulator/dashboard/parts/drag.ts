import { useState } from "preact/hooks";

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
  const [ends, setEnds] = useState<readonly [start: number, end: number] | null>(null);
  const drag = ends && { from: Math.min(...ends), to: Math.max(...ends) };
  const listeners = {
    onPointerDown({ currentTarget, pointerId, clientX }: Pointed) {
      currentTarget.setPointerCapture(pointerId);
      const start = shareAt(currentTarget, clientX);
      setEnds([start, start]);
    },
    onPointerMove({ currentTarget, clientX }: Pointed) {
      const end = shareAt(currentTarget, clientX);
      setEnds((last) => last && [last[0], end]);
    },
    onPointerUp() {
      setEnds(null);
      if (drag !== null && drag.to - drag.from > least) onSelect(drag);
    },
    onPointerCancel: () => setEnds(null),
  };
  return { drag, listeners };
}

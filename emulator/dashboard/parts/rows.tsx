// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go are placed, which a table's can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: this is a table, not a grid: its links are what takes the focus
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

const ROW_PX = 36;
const HEAD_PX = 36;
const BORDERS_PX = 2;

/** A table of any length, of which only the rows in sight are in the page. */
export function Rows(props: {
  label: string;
  /** The names of the columns; its class gives the table their widths. */
  columns: readonly string[];
  class: string;
  count: number;
  /** The cells of one row. */
  row(index: number): ComponentChildren;
  heightOf?(index: number): number;
}) {
  const { count, heightOf = () => ROW_PX } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { items, totalPx } = useVirtualRows(count, heightOf, () => scroller.current);
  return (
    <div
      class={`rows ${props.class}`}
      ref={scroller}
      tabIndex={0}
      role="group"
      aria-label={props.label}
      style={{ "--content": `${HEAD_PX + totalPx + BORDERS_PX}px` }}
    >
      <div role="table" aria-label={props.label} aria-rowcount={count + 1}>
        <div role="row" class="row head" aria-rowindex={1}>
          {props.columns.map((name) => (
            <span role="columnheader" key={name}>
              {name}
            </span>
          ))}
        </div>
        <div role="rowgroup" class="body" style={{ height: `${totalPx}px` }}>
          {items.map(({ index, start, size }) => (
            <div
              role="row"
              class="row"
              key={index}
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${start}px)`, height: `${size}px` }}
            >
              {props.row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

export function Cell({ children, class: name = "" }: { children?: ComponentChildren; class?: string }) {
  return (
    <span role="cell" class={name}>
      {children}
    </span>
  );
}

/** Which rows are in sight, and where. */
function useVirtualRows(
  count: number,
  estimateSize: (index: number) => number,
  getScrollElement: () => HTMLDivElement | null,
): { items: VirtualItem[]; totalPx: number } {
  const [, draw] = useReducer((turn: number, _: undefined) => turn + 1, 0);
  const options = {
    count,
    estimateSize,
    getScrollElement,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 8,
    onChange: () => draw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { items: virtualizer.getVirtualItems(), totalPx: virtualizer.getTotalSize() };
}

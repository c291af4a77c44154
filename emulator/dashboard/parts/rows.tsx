// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go are placed, which a table's can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: this is a table, not a grid: its links are what takes the focus
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Column } from "./display.js";

const ROW_PX = 36;
const NOTE_PX = 26;
const BORDERS_PX = 2;

/** A table of any length, the last item first, of which only the rows in sight are in the page. */
export function Rows<Item>(props: {
  /** The name of the table; in lower case its class, which gives the columns their widths. */
  label: string;
  columns: readonly Column<Item>[];
  /** The list may grow in place: whatever draws it has to be drawn again then. */
  items: readonly Item[];
  /** Lines under the cells of an item, each as wide as the table. */
  notes?(item: Item): readonly ComponentChildren[];
}) {
  const { label, columns, items, notes = () => [] } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // The virtualizer has no other rows than these.
  const itemAt = (index: number) => items[items.length - 1 - index] as Item;
  const heightOf = (index: number) => ROW_PX + NOTE_PX * notes(itemAt(index)).length;
  const virtualizer = useVirtualizer(items.length, heightOf, () => scroller.current);
  const totalPx = virtualizer.getTotalSize();
  return (
    <div
      class={`rows ${label.toLowerCase()}`}
      ref={scroller}
      tabIndex={0}
      role="group"
      aria-label={label}
      style={{ "--content": `${ROW_PX + totalPx + BORDERS_PX}px` }}
    >
      <div role="table" aria-label={label} aria-rowcount={items.length + 1}>
        <div role="row" class="row head" aria-rowindex={1}>
          {columns.map(([heading], index) => (
            <span role="columnheader" key={index}>
              {heading}
            </span>
          ))}
        </div>
        <div role="rowgroup" class="body" style={{ height: `${totalPx}px` }}>
          {virtualizer.getVirtualItems().map(({ index, start, size }) => (
            <div
              role="row"
              class="row"
              key={index}
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${start}px)`, height: `${size}px` }}
            >
              {columns.map(([, cell, classes], column) => (
                <span role="cell" key={column} class={classes}>
                  {cell(itemAt(index))}
                </span>
              ))}
              {notes(itemAt(index)).map((note, number) => (
                <span role="cell" key={`note ${number}`} class="finding">
                  {note}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Knows which rows are in sight, and where. */
function useVirtualizer(
  count: number,
  estimateSize: (index: number) => number,
  getScrollElement: () => HTMLDivElement | null,
): Virtualizer<HTMLDivElement, HTMLDivElement> {
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
  return virtualizer;
}

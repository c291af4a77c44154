// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go are placed, which a table's can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: this is a table, not a grid: its links take the focus
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrolling area can be scrolled with the keyboard
// biome-ignore-all lint/a11y/useKeyWithClickEvents: a row that opens has a link for the keyboard
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useCallback, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Column } from "./table.js";

const ROW_PX = 30;
const NOTE_PX = 26;
const BORDERS_PX = 2;

/** A table of any length, the last item first, of which only the visible rows are in the page. */
export function Rows<Item>(props: {
  /** The name of the table; in lower case its class, which gives the columns their widths. */
  label: string;
  columns: readonly Column<Item>[];
  /** The list may grow in place: its view must be drawn again then. */
  items: readonly Item[];
  /** Lines below the cells of an item, each as wide as the table. */
  notes?(item: Item): readonly ComponentChildren[];
  /** Another value when the notes of any item may have changed. */
  notesVersion?: unknown;
  /** Opens an item. Its row also has a link that does. */
  onOpen?(item: Item): void;
  isOpen?(item: Item): boolean;
}) {
  const { label, columns, items, notes = () => [], notesVersion, onOpen, isOpen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // The virtualizer has no other rows than these.
  const itemAt = (index: number) => items[items.length - 1 - index] as Item;
  const heightOf = (index: number) => ROW_PX + NOTE_PX * notes(itemAt(index)).length;
  // The virtualizer computes all positions anew when this function is another one.
  const keyOf = useCallback((index: number) => items.length - index, [items, items.length, notesVersion]);
  const virtualizer = useVirtualizer(items.length, heightOf, keyOf, () => scroller.current);
  /** The first visible row, unless the list shows its top: it stays in place while rows arrive above it. */
  const anchor = useRef<{ item: Item; hiddenPx: number } | null>(null);
  const noteAnchor = ({ currentTarget: { scrollTop } }: { currentTarget: HTMLElement }) => {
    const first = scrollTop > 0 ? virtualizer.getVirtualItemForOffset(scrollTop) : undefined;
    anchor.current = first ? { item: itemAt(first.index), hiddenPx: scrollTop - first.start } : null;
  };
  useLayoutEffect(() => {
    if (anchor.current === null || scroller.current === null) return;
    const { item, hiddenPx } = anchor.current;
    const row = virtualizer.measurementsCache[items.length - 1 - items.lastIndexOf(item)];
    if (row !== undefined) scroller.current.scrollTop = row.start + hiddenPx;
  }, [keyOf]);
  const totalPx = virtualizer.getTotalSize();
  const open = (event: MouseEvent, item: Item) => {
    const isOnControl = event.target instanceof Element && event.target.closest("a, button") !== null;
    // Selecting text is not a click on the row.
    if (!isOnControl && getSelection()?.isCollapsed !== false) onOpen?.(item);
  };
  return (
    <div
      class={`rows ${label.toLowerCase()}`}
      ref={scroller}
      tabIndex={0}
      role="group"
      aria-label={label}
      style={{ "--content": `${ROW_PX + totalPx + BORDERS_PX}px` }}
      onScroll={noteAnchor}
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
              class={`row${onOpen === undefined ? "" : " opens"}${isOpen?.(itemAt(index)) ? " open" : ""}`}
              key={keyOf(index)}
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${start}px)`, height: `${size}px` }}
              onClick={(event) => open(event, itemAt(index))}
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

/** Knows which rows are visible, and where. */
function useVirtualizer(
  count: number,
  estimateSize: (index: number) => number,
  getItemKey: (index: number) => number,
  getScrollElement: () => HTMLDivElement | null,
): Virtualizer<HTMLDivElement, HTMLDivElement> {
  const [, draw] = useReducer((draws: number, _: undefined) => draws + 1, 0);
  const options = {
    count,
    estimateSize,
    getItemKey,
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

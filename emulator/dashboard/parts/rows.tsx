// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go are placed, which a table's can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: this is a table, not a grid: its links take the focus
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrolling area can be scrolled with the keyboard
// biome-ignore-all lint/a11y/useKeyWithClickEvents: a row that opens has a link for the keyboard
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./display.js";
import { formatCount } from "./format.js";
import type { Column } from "./table.js";

const ROW_PX = 30;
const BORDERS_PX = 2;
/** Rows above and below the visible ones, for a fast scroll. */
const OVERSCAN = 8;

/**
 * A table of any length, the last item first, of which only the visible rows are in the page. It is long because the table and the
 * effects that keep its position use the same element and the same numbers of rows.
 */
export function Rows<Item>(props: {
  /** The name of the table; in lower case its class, which gives the columns their widths. */
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  /** Identifies an item, also after it was read again. */
  keyOf(item: Item): string | number | null;
  /** What opens an item; `null` for one that can't be opened. Its row also has a link that does. */
  openerOf?(item: Item): (() => void) | null;
  /** The key of the open item. */
  openKey?: string;
}) {
  const { label, columns, items, keyOf, openerOf, openKey = "" } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [{ top: lastTop, height }, setView] = useState({ top: 0, height: 0 });
  const look = ({ scrollTop, clientHeight }: HTMLElement) => {
    setView((view) =>
      view.top === scrollTop && view.height === clientHeight
        ? view
        : { top: scrollTop, height: clientHeight },
    );
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => look(element));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const top = useHeldRow(scroller, items, keyOf, look) ?? lastTop;
  const openIndex = openKey === "" ? -1 : items.findLastIndex((item) => String(keyOf(item)) === openKey);
  const openRow = openIndex === -1 ? -1 : items.length - 1 - openIndex;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || openRow === -1) return;
    const rowTop = openRow * ROW_PX;
    const space = element.clientHeight - 2 * ROW_PX;
    if (rowTop < element.scrollTop) element.scrollTop = rowTop;
    else if (rowTop > element.scrollTop + space) element.scrollTop = rowTop - space;
  }, [openKey, openRow === -1]);
  useFocusOnClosed(scroller, openKey, openRow);
  const first = Math.max(0, Math.floor(top / ROW_PX) - OVERSCAN);
  const last = Math.min(items.length, Math.ceil((top + height) / ROW_PX) + OVERSCAN);
  const above = Math.min(Math.floor(top / ROW_PX), items.length);
  const visible = items.slice(items.length - last, items.length - first).reverse();
  const open = (event: MouseEvent, opener: (() => void) | null) => {
    const isOnControl = event.target instanceof Element && event.target.closest("a, button") !== null;
    // Selecting text is not a click on the row.
    if (!isOnControl && getSelection()?.isCollapsed !== false) opener?.();
  };
  const name = label.toLowerCase();
  return (
    <div class={`list ${name}`}>
      <div
        class={`rows ${name}`}
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label={label}
        style={{ "--content": `${ROW_PX * (items.length + 1) + BORDERS_PX}px` }}
        onScroll={({ currentTarget }) => look(currentTarget)}
      >
        <div role="table" aria-label={label} aria-rowcount={items.length + 1}>
          <div role="row" class="row head" aria-rowindex={1}>
            {columns.map(([heading, , classes], index) => (
              <span role="columnheader" key={index} class={classes}>
                {heading}
              </span>
            ))}
          </div>
          <div role="rowgroup" class="body" style={{ height: `${ROW_PX * items.length}px` }}>
            {visible.map((item, index) => {
              const opener = openerOf?.(item) ?? null;
              return (
                <div
                  role="row"
                  class={`row${opener === null ? "" : " opens"}${first + index === openRow ? " open" : ""}`}
                  key={items.length - first - index}
                  aria-rowindex={first + index + 2}
                  style={{ transform: `translateY(${ROW_PX * (first + index)}px)` }}
                  onClick={(event) => open(event, opener)}
                >
                  {columns.map(([, cell, classes], column) => (
                    <span role="cell" key={column} class={classes}>
                      {cell(item)}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {above > 0 && (
        <Button class="small secondary newer" onClick={() => scroller.current?.scrollTo(0, 0)}>
          ↑ {formatCount(above)} newer
        </Button>
      )}
    </div>
  );
}

/** When an item is closed, the focus that was in its pane goes to its row, not to the top of the page. */
function useFocusOnClosed(
  scroller: { readonly current: HTMLElement | null },
  openKey: string,
  openRow: number,
): void {
  const last = useRef(openRow);
  useLayoutEffect(() => {
    const closed = last.current;
    last.current = openRow;
    if (openKey !== "" || closed === -1 || !document.activeElement?.matches("body, .split")) return;
    scroller.current
      ?.querySelector<HTMLElement>(`[aria-rowindex="${closed + 2}"] a`)
      ?.focus({ preventScroll: true });
  }, [openKey, openRow]);
}

/**
 * Keeps the first visible row at its position while rows arrive above it, so that nothing moves under the pointer or the eyes. A list
 * that shows its newest row and is not in use follows the new ones. Returns the position that it will be scrolled to: the rows there
 * must be drawn before, or the row that has the focus would go.
 */
function useHeldRow<Item>(
  scroller: { readonly current: HTMLElement | null },
  items: readonly Item[],
  keyOf: (item: Item) => unknown,
  onScroll: (element: HTMLElement) => void,
): number | null {
  const before = useRef(items);
  const { current: element } = scroller;
  const previous = before.current;
  const top = element === null || previous === items ? null : heldTop(element, previous, items, keyOf);
  useLayoutEffect(() => {
    before.current = items;
    if (element === null || top === null) return;
    element.scrollTop = top;
    onScroll(element);
  }, [items]);
  return top;
}

/** Where the list is scrolled to so that its first visible row stays; `null` if it need not be. */
function heldTop<Item>(
  element: HTMLElement,
  previous: readonly Item[],
  items: readonly Item[],
  keyOf: (item: Item) => unknown,
): number | null {
  const { scrollTop } = element;
  if (scrollTop === 0 && !element.matches(":hover, :focus-within")) return null;
  const held = previous[previous.length - 1 - Math.floor(scrollTop / ROW_PX)];
  if (held === undefined) return null;
  const index = items.findLastIndex((item) => keyOf(item) === keyOf(held));
  return index === -1 ? null : ROW_PX * (items.length - 1 - index) + (scrollTop % ROW_PX);
}

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./display.js";
import { formatCount } from "./format.js";

/** The heading of a column, the cell of each item, and its class. */
export type Column<Item> = readonly [
  heading: ComponentChildren,
  cell: (item: Item) => ComponentChildren,
  classes?: string,
];

/** Rows of a table on one page. */
const PAGE_SIZE = 10;

export interface TableProps<Item> {
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf(item: Item): string;
  /** Keeps the page, counted from 1, outside the table: in a filter of the address. */
  page?: { value: string; onChange(page: string): void };
}

/** A table in pages of ten rows. */
export function Table<Item>(props: TableProps<Item>) {
  const { columns, items, keyOf } = props;
  const [ownPage, setOwnPage] = useState("");
  const { value, onChange } = props.page ?? { value: ownPage, onChange: setOwnPage };
  const page = Math.max(1, Math.floor(Number(value)) || 1) - 1;
  const setPage = (index: number) => onChange(index === 0 ? "" : String(index + 1));
  const lastPage = Math.max(0, Math.ceil(items.length / PAGE_SIZE) - 1);
  const from = Math.min(page, lastPage) * PAGE_SIZE;
  const shown = items.slice(from, from + PAGE_SIZE);
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {columns.map(([heading, , classes], index) => (
              <th key={index} scope="col" class={classes}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(([heading, cell, classes], index) => (
                <td
                  key={index}
                  class={classes}
                  {...(typeof heading === "string" && { "data-label": heading })}
                >
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {lastPage > 0 && (
        <nav class="pages" aria-label="Pages">
          <Button disabled={from === 0} onClick={() => setPage(from / PAGE_SIZE - 1)}>
            Previous
          </Button>
          <small aria-live="polite">
            {formatCount(from + 1)} to {formatCount(from + shown.length)} of {formatCount(items.length)}
          </small>
          <Button disabled={from / PAGE_SIZE >= lastPage} onClick={() => setPage(from / PAGE_SIZE + 1)}>
            Next
          </Button>
        </nav>
      )}
    </div>
  );
}

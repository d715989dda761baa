// A few rows inside a card, without filters and pages.
import type { ReactNode } from 'react';
import type { Column, Selection } from './columns.ts';
import { ShortRows, TableRows } from './data-rows.tsx';
import classes from './data-table.module.css';
import { SelectionBar } from './data-table-parts.tsx';
import type { MenuGroup } from './menu.tsx';
import { useIsListNarrow } from './narrow.ts';
import plain from './plain-table.module.css';

interface Props {
  caption: string;
  isCaptionHidden?: boolean;
  headers: readonly string[];
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
  /** All columns but the first; up to four stay columns on phones. */
  isNumeric?: boolean;
}

export function PlainTable({ caption, isCaptionHidden, headers, rows, isNumeric = false }: Props) {
  const isWide = headers.length > 4;
  const isNarrow = useIsListNarrow() && (!isNumeric || isWide);
  const columns = headers.map(
    (header, index): Column<Props['rows'][number]> => ({
      id: header,
      header,
      cell: ({ cells }) => cells[index],
      ...(index === 0 ? {} : { small: 'line', isNumeric, isNamed: isWide }),
    }),
  );
  const Rows = isNarrow ? ShortRows : TableRows;
  return (
    <section className={plain.plain} aria-label={caption}>
      {isCaptionHidden || !isNarrow ? null : <strong className={classes.caption}>{caption}</strong>}
      <Rows
        caption={caption}
        isCaptionShown={!isCaptionHidden}
        columns={columns}
        rows={rows}
        rowName={({ id }) => id}
        isFlowing
      />
    </section>
  );
}

interface CardTableProps<Item extends { id: string | number }> {
  caption: string;
  columns: readonly Column<Item>[];
  rows: readonly Item[];
  rowName: (row: Item) => string;
  actions?: (row: Item) => MenuGroup[];
  selection?: Selection;
  /** Texts wrap, where they may be long. */
  isFlowing?: boolean;
}

/** Rows of a short list in a card with `isFlush`: a link or button opens the row, a menu has its actions. */
export function CardTable<Item extends { id: string | number }>(props: CardTableProps<Item>) {
  const Rows = useIsListNarrow() ? ShortRows : TableRows;
  return (
    <>
      <SelectionBar selection={props.selection} />
      <Rows {...props} />
    </>
  );
}

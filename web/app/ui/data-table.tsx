// The server sorts, filters and pages; the query is in the URL (list.ts). Columns and row height are stored in this
// browser.

import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { List } from '../list.ts';
import { useMe } from '../me.ts';
import { readStored, writeStored } from '../storage.ts';
import { useText } from '../texts.ts';
import { announce } from './announcer.tsx';
import { Card } from './card.tsx';
import type { Column, Selection, View } from './columns.ts';
import { ShortRows, TableRows } from './data-rows.tsx';
import classes from './data-table.module.css';
import { Pager, SelectionBar, TableMessage, ViewMenu } from './data-table-parts.tsx';
import type { Filter } from './filter.ts';
import { FilterBar } from './filters.tsx';
import { Stack } from './layout.tsx';
import type { MenuGroup } from './menu.tsx';
import { useIsListNarrow } from './narrow.ts';

interface Row {
  id: string | number;
}

export interface DataTableProps<Item extends Row> {
  /** Storage key of its view. */
  name: string;
  caption: string;
  columns: readonly Column<Item>[];
  list: List;
  query: { error: Error | null; isPlaceholderData: boolean; refetch(): unknown };
  /** Undefined while loading. */
  rows: readonly Item[] | undefined;
  total: number | undefined;
  /** The next cursor of a list without page numbers. */
  next?: string | null | undefined;
  /** Names its menu and checkbox. */
  rowName: (row: Item) => string;
  actions?: (row: Item) => MenuGroup[];
  /** Hidden while there is nothing to filter. */
  filters?: readonly Filter[];
  /** Shown without rows and filters. */
  empty: ReactNode;
  selection?: Selection;
}

export function DataTable<Item extends Row>(props: DataTableProps<Item>) {
  const { name, columns, list, query, rows, total, next, filters, empty, selection } = props;
  const text = useText('ui');
  const [view, setView] = useView(name, columns);
  const isNarrow = useIsListNarrow();
  const top = useRef<HTMLSpanElement>(null);
  useResultsAnnouncement(query.isPlaceholderData ? undefined : total, list);
  const isEmpty = rows?.length === 0;
  if (isEmpty && !list.isFiltered && list.page === 1) return empty;
  const shown = columns.filter(({ id }) => !view.hidden.includes(id));
  const Rows = isNarrow ? ShortRows : TableRows;
  const toolbar = (
    <>
      <span ref={top} tabIndex={-1} className={classes.count}>
        {total === undefined ? '' : text('rows', { n: total })}
      </span>
      {isNarrow ? null : <ViewMenu columns={columns} view={view} onChange={setView} />}
    </>
  );
  return (
    <Stack gap={12}>
      <FilterBar list={list} filters={filters ?? []} toolbar={toolbar} />
      <Card isFlush>
        <SelectionBar selection={selection} />
        {rows === undefined || isEmpty ? (
          <TableMessage
            isEmpty={isEmpty}
            error={query.error}
            onRetry={() => void query.refetch()}
            onClear={list.clear}
          />
        ) : (
          <Rows {...props} columns={isNarrow ? columns : shown} rows={rows} isCompact={view.isCompact} />
        )}
      </Card>
      <Pager list={list} total={total} next={next} onTurn={() => goToTop(top.current)} />
    </Stack>
  );
}

/** Moves the focus too. */
function goToTop(target: HTMLElement | null): void {
  scrollTo({ top: 0 });
  target?.focus({ preventScroll: true });
}

function useView<Item>(name: string, columns: readonly Column<Item>[]): [View, (view: View) => void] {
  const me = useMe();
  const [view, setView] = useState<View>(
    () =>
      readStored<View>(me.id, `table:${name}`)?.value ?? {
        hidden: columns.filter(({ isHidden }) => isHidden).map(({ id }) => id),
        isCompact: false,
      },
  );
  const change = (next: View) => {
    setView(next);
    writeStored(me.id, `table:${name}`, next);
  };
  return [view, change];
}

/** Announces `18 results.` after a change, not the first result. */
function useResultsAnnouncement(total: number | undefined, list: List): void {
  const text = useText('ui');
  const before = useRef<{ key: string; page: number } | null>(null);
  useEffect(() => {
    if (total === undefined) return;
    const key = JSON.stringify(list.filters);
    const last = before.current;
    before.current = { key, page: list.page };
    if (last === null) return;
    if (last.key !== key) announce(text('results', { n: total }));
    else if (last.page !== list.page && list.steps === undefined)
      announce(text('pageSaid', { page: list.page, count: list.pageCount(total) }));
  }, [total, list, text]);
}

// A list as a real table: sort buttons in its headers, pages of the server, a menu for each row, chosen columns and row
// height kept in this browser; below 768 px each row becomes a card. Sort and page live in the address (see useList).

import { useMediaQuery } from '@mantine/hooks';
import { columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { List } from '../list.ts';
import { useMe } from '../me.ts';
import { keep, readKept } from '../storage.ts';
import { useText } from '../texts.ts';
import { announce } from './announcer.tsx';
import { Card } from './card.tsx';
import { DataCards } from './data-cards.tsx';
import classes from './data-table.module.css';
import { Pager, SelectionBox, SortHeader, TableMessage, ViewMenu } from './data-table-parts.tsx';
import { Menu, type MenuGroup } from './menu.tsx';

export interface Column<Row> {
  id: string;
  header: string;
  /** The first column carries the link of the row. */
  cell: (row: Row) => ReactNode;
  /** The word of the server's `sort`; left out when it cannot be sorted. */
  sort?: string;
  isNumeric?: boolean;
  /** Not shown until somebody chooses it. */
  isHidden?: boolean;
}

export interface DataTableProps<Row> {
  /** Of the table, for screen readers; also names what is kept of its view. */
  name: string;
  caption: string;
  columns: readonly Column<Row>[];
  /** Undefined while they are on their way. */
  rows: readonly Row[] | undefined;
  total: number | undefined;
  list: List;
  rowId: (row: Row) => string;
  /** What a row is called: in its menu, its box, its card. */
  rowName: (row: Row) => string;
  actions?: (row: Row) => MenuGroup[];
  error?: unknown;
  onRetry?: () => void;
  /** The rows still answer the last question: `query.isPlaceholderData`. Counts are said when they are true. */
  isStale?: boolean;
  /** Shown instead of the table when there is nothing and no filter is set. */
  empty: ReactNode;
  /** Ids of chosen rows; left out when rows cannot be chosen. */
  selected?: ReadonlySet<string>;
  onSelect?: (ids: Set<string>) => void;
  /** Beside the results, when rows are chosen. */
  bulkActions?: ReactNode;
}

interface View {
  hidden: string[];
  isCompact: boolean;
}

const features = tableFeatures({ columnVisibilityFeature });

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { name, caption, columns, rows, total, list, rowId, empty, error, onRetry, selected, bulkActions } = props;
  const text = useText('ui');
  const [view, setView] = useView(name, columns);
  const isNarrow = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
  const shownColumns = columns.filter(({ id }) => !view.hidden.includes(id));
  useResultsSaid(props.isStale === true ? undefined : total, list);
  if (rows !== undefined && rows.length === 0 && !list.isFiltered && list.page === 1) return empty;
  const isEmpty = rows !== undefined && rows.length === 0;
  return (
    <div className={classes.whole}>
      <div className={classes.bar}>
        <span className={classes.count}>
          {selected !== undefined && selected.size > 0
            ? text('selected', { n: selected.size })
            : total === undefined
              ? ''
              : text('rows', { n: total })}
        </span>
        {selected !== undefined && selected.size > 0 ? bulkActions : null}
        {isNarrow ? null : <ViewMenu columns={columns} view={view} onChange={setView} />}
      </div>
      <Card isFlush>
        {rows === undefined || isEmpty ? (
          <TableMessage isEmpty={isEmpty} error={error} onRetry={onRetry} onClear={list.clear} />
        ) : isNarrow ? (
          <DataCards {...props} columns={shownColumns} rows={rows} />
        ) : (
          <WideTable {...props} caption={caption} rows={rows} view={view} rowId={rowId} />
        )}
      </Card>
      <Pager list={list} total={total} />
    </div>
  );
}

function WideTable<Row extends object>(props: DataTableProps<Row> & { rows: readonly Row[]; view: View }) {
  const { caption, columns, rows, list, rowId, rowName, actions, selected, onSelect, view } = props;
  const text = useText('ui');
  const definitions = useMemo(
    () =>
      columns.map(({ id, header, cell }) => ({
        id,
        header,
        accessorFn: (row: Row) => row,
        cell: ({ row }: { row: { original: Row } }) => cell(row.original),
      })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: rowId,
    state: { columnVisibility: Object.fromEntries(view.hidden.map((id) => [id, false])) },
  });
  const definitionOf = (id: string) => columns.find((column) => column.id === id)!;
  const isAll = selected !== undefined && rows.every((row) => selected.has(rowId(row)));
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-compact={view.isCompact}>
        <caption className={classes.caption}>{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {selected === undefined ? null : (
                <th scope="col" className={classes.narrow}>
                  <SelectionBox
                    label={text('selectAll')}
                    isOn={isAll}
                    isPartly={!isAll && selected.size > 0}
                    onChange={(isOn) => onSelect?.(new Set(isOn ? rows.map(rowId) : []))}
                  />
                </th>
              )}
              {group.headers.map((header) => (
                <SortHeader key={header.id} column={definitionOf(header.column.id)} list={list} />
              ))}
              {actions === undefined ? null : (
                <th scope="col" className={classes.narrow}>
                  <span className={classes.hidden}>{text('more')}</span>
                </th>
              )}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} data-row="" data-selected={selected?.has(row.id) === true}>
              {selected === undefined ? null : (
                <td className={classes.narrow}>
                  <SelectionBox
                    label={text('selectRow', { name: rowName(row.original) })}
                    isOn={selected.has(row.id)}
                    onChange={(isOn) => onSelect?.(withId(selected, row.id, isOn))}
                  />
                </td>
              )}
              {row.getVisibleCells().map((cell) => (
                <td
                  key={cell.id}
                  data-main={cell.column.id === columns[0]?.id}
                  data-numeric={definitionOf(cell.column.id).isNumeric === true}
                >
                  {definitionOf(cell.column.id).cell(row.original)}
                </td>
              ))}
              {actions === undefined ? null : (
                <td className={classes.narrow}>
                  <Menu label={text('actionsFor', { name: rowName(row.original) })} groups={actions(row.original)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function withId(ids: ReadonlySet<string>, id: string, isIn: boolean): Set<string> {
  const next = new Set(ids);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}

/** Columns and row height of one table, kept for this person in this browser. */
function useView<Row>(name: string, columns: readonly Column<Row>[]): [View, (view: View) => void] {
  const me = useMe();
  const [view, setView] = useState<View>(
    () =>
      readKept<View>(me.id, `table:${name}`)?.value ?? {
        hidden: columns.filter(({ isHidden }) => isHidden).map(({ id }) => id),
        isCompact: false,
      },
  );
  const change = (next: View) => {
    setView(next);
    keep(me.id, `table:${name}`, next);
  };
  return [view, change];
}

/** `18 results.` after a filter, `Page 2 of 5.` after a step; nothing when the list is first shown. */
function useResultsSaid(total: number | undefined, list: List): void {
  const text = useText('ui');
  const before = useRef<{ key: string; page: number } | null>(null);
  useEffect(() => {
    if (total === undefined) return;
    const key = JSON.stringify(list.filters);
    const last = before.current;
    before.current = { key, page: list.page };
    if (last === null) return;
    if (last.key !== key) announce(text('results', { n: total }));
    else if (last.page !== list.page) announce(text('pageSaid', { page: list.page, count: list.pageCount(total) }));
  }, [total, list, text]);
}

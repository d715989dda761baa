// The rows of a DataTable: as a table, or on small screens as cards with the first column as title and the rest as pairs.

import { ArrowDown, ArrowUp } from 'lucide-react';
import type { List } from '../list.ts';
import { useText } from '../texts.ts';
import { Checkbox } from './choice.tsx';
import { type Column, type Selection, withId } from './columns.ts';
import classes from './data-table.module.css';
import { Icon } from './icon.tsx';
import { Menu, type MenuGroup } from './menu.tsx';

interface Props<Item> {
  caption: string;
  columns: readonly Column<Item>[];
  rows: readonly Item[];
  list: List;
  isCompact: boolean;
  rowName: (row: Item) => string;
  actions?: (row: Item) => MenuGroup[];
  selection?: Selection;
}

export function TableRows<Item extends { id: string | number }>(props: Props<Item>) {
  const { caption, columns, rows, list, isCompact, rowName, actions, selection } = props;
  const text = useText('ui');
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-compact={isCompact}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {selection === undefined ? null : (
              <th scope="col" className={classes.narrow}>
                <AllBox selection={selection} ids={rows.map(({ id }) => String(id))} />
              </th>
            )}
            {columns.map((column) => (
              <SortHeader key={column.id} column={column} list={list} />
            ))}
            {actions === undefined ? null : (
              <th scope="col" className={classes.narrow}>
                <span className="visually-hidden">{text('more')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-row="" data-selected={selection?.ids.has(String(row.id)) === true}>
              {selection === undefined ? null : (
                <td className={classes.narrow}>
                  <RowBox selection={selection} id={String(row.id)} name={rowName(row)} />
                </td>
              )}
              {columns.map(({ id, cell, isNumeric }, index) => (
                <td key={id} data-main={index === 0} data-numeric={isNumeric === true}>
                  {cell(row)}
                </td>
              ))}
              {actions === undefined ? null : (
                <td className={classes.narrow}>
                  <Menu label={text('actionsFor', { name: rowName(row) })} groups={actions(row)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function CardRows<Item extends { id: string | number }>(props: Props<Item>) {
  const { caption, columns, rows, rowName, actions, selection } = props;
  const text = useText('ui');
  const [first, ...others] = columns;
  return (
    <ul className={classes.cards} aria-label={caption}>
      {rows.map((row) => (
        <li key={row.id} className={classes.card} data-row="">
          <div className={classes.cardTop}>
            {selection === undefined ? null : <RowBox selection={selection} id={String(row.id)} name={rowName(row)} />}
            <div className={classes.cardTitle}>{first?.cell(row)}</div>
            {actions === undefined ? null : (
              <Menu label={text('actionsFor', { name: rowName(row) })} groups={actions(row)} />
            )}
          </div>
          <dl className={classes.pairs}>
            {others.map(({ id, header, cell }) => (
              <div key={id} className={classes.pair}>
                <dt>{header}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function SortHeader<Item>({ column, list }: { column: Column<Item>; list: List }) {
  const { header, sort, isNumeric } = column;
  const direction =
    sort === undefined
      ? undefined
      : list.sort === sort
        ? 'ascending'
        : list.sort === `-${sort}`
          ? 'descending'
          : undefined;
  return (
    <th scope="col" data-numeric={isNumeric === true} aria-sort={direction}>
      {sort === undefined ? (
        header
      ) : (
        <button type="button" className={classes.sort} onClick={() => list.sortBy(sort)}>
          {header}
          {direction === undefined ? null : <Icon of={direction === 'ascending' ? ArrowUp : ArrowDown} sizePx={16} />}
        </button>
      )}
    </th>
  );
}

function AllBox({ selection: { ids: chosen, onChange }, ids }: { selection: Selection; ids: readonly string[] }) {
  const text = useText('ui');
  const isAll = ids.every((id) => chosen.has(id));
  return (
    <Checkbox
      label={text('selectAll')}
      isLabelHidden
      checked={isAll}
      isPartly={!isAll && chosen.size > 0}
      onChange={(isOn) => onChange(new Set(isOn ? ids : []))}
    />
  );
}

function RowBox({ selection, id, name }: { selection: Selection; id: string; name: string }) {
  const text = useText('ui');
  return (
    <Checkbox
      label={text('selectRow', { name })}
      isLabelHidden
      checked={selection.ids.has(id)}
      onChange={(isOn) => selection.onChange(withId(selection.ids, id, isOn))}
    />
  );
}

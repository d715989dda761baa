// The first column's link covers the row.

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
  /** Above a table; a list has only a label. */
  isCaptionShown?: boolean;
  columns: readonly Column<Item>[];
  rows: readonly Item[];
  /** Without it nothing can be sorted. */
  list?: List | undefined;
  isCompact?: boolean;
  /** Columns are as wide as their content, which wraps. */
  isFlowing?: boolean;
  rowName: (row: Item) => string;
  actions?: (row: Item) => MenuGroup[];
  selection?: Selection;
}

export function TableRows<Item extends { id: string | number }>(props: Props<Item>) {
  const { caption, columns, rows, list, isCompact = false, isFlowing, rowName, actions, selection } = props;
  const text = useText('ui');
  return (
    <table className={classes.table} data-compact={isCompact} data-flowing={isFlowing}>
      <caption className={props.isCaptionShown ? classes.caption : 'visually-hidden'}>{caption}</caption>
      <thead>
        <tr>
          {selection === undefined ? null : (
            <th scope="col" className={classes.box}>
              <AllBox selection={selection} ids={rows.map(({ id }) => String(id))} />
            </th>
          )}
          {columns.map((column, index) => (
            <SortHeader key={column.id} column={column} list={list} isMain={index === 0} />
          ))}
          {actions === undefined ? null : (
            <th scope="col" className={classes.menu}>
              <span className="visually-hidden">{text('more')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} data-row="" data-selected={selection?.ids.has(String(row.id)) === true}>
            {selection === undefined ? null : (
              <td className={`${classes.above} ${classes.box}`}>
                <RowBox selection={selection} id={String(row.id)} name={rowName(row)} />
              </td>
            )}
            {columns.map((column, index) => {
              // A few rows without links are named by their first cell.
              const Tag = isFlowing && index === 0 ? 'th' : 'td';
              return (
                <Tag
                  key={column.id}
                  {...(Tag === 'th' ? { scope: 'row' } : {})}
                  className={index === 0 ? classes.opener : classes.above}
                  data-numeric={column.isNumeric === true}
                >
                  <Cell column={column} row={row} />
                </Tag>
              );
            })}
            {actions === undefined ? null : (
              <td className={`${classes.above} ${classes.menu}`}>
                <Menu label={text('actionsFor', { name: rowName(row) })} groups={actions(row)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Truncated, so that all rows have the same height. */
function Cell<Item>({ column: { cell, under }, row }: { column: Column<Item>; row: Item }) {
  return (
    <>
      <div className={classes.line}>{cell(row)}</div>
      {under === undefined ? null : <div className={classes.under}>{under(row)}</div>}
    </>
  );
}

/** Title and mark, then the line and a second mark. */
export function ShortRows<Item extends { id: string | number }>(props: Props<Item>) {
  const { caption, columns, rows, isFlowing, rowName, actions, selection } = props;
  const text = useText('ui');
  const [first] = columns;
  const [mark, secondMark] = columns.filter(({ small }) => small === 'mark');
  const line = columns.filter(({ small }) => small === 'line');
  return (
    <ul className={classes.short} data-flowing={isFlowing} aria-label={caption}>
      {rows.map((row) => (
        <li
          key={row.id}
          className={classes.shortRow}
          data-row=""
          data-selected={selection?.ids.has(String(row.id)) === true}
        >
          {selection === undefined ? null : (
            <div className={`${classes.above} ${classes.shortBox}`}>
              <RowBox selection={selection} id={String(row.id)} name={rowName(row)} />
            </div>
          )}
          <div className={classes.shortFirst}>
            <div className={`${classes.opener} ${classes.shortTitle}`}>{first?.cell(row)}</div>
            {mark === undefined ? null : <SmallCell className={classes.shortMark} column={mark} row={row} />}
          </div>
          <div className={classes.shortSecond}>
            <div className={classes.shortLine}>
              {line.map((column) => (
                <SmallCell key={column.id} className={classes.shortPart} column={column} row={row} />
              ))}
            </div>
            {secondMark === undefined ? null : (
              <SmallCell className={classes.shortMark} column={secondMark} row={row} />
            )}
          </div>
          {actions === undefined ? null : (
            <div className={`${classes.above} ${classes.shortMenu}`}>
              <Menu label={text('actionsFor', { name: rowName(row) })} groups={actions(row)} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

interface SmallCellProps<Item> {
  column: Column<Item>;
  row: Item;
  className: string | undefined;
}

function SmallCell<Item>({ column: { header, cell, smallCell, isNamed }, row, className }: SmallCellProps<Item>) {
  const content = (smallCell ?? cell)(row);
  if (content === null) return null;
  const isHeaderShown = isNamed === true && typeof content === 'string';
  return (
    <span className={`${classes.above} ${className}`}>
      {isHeaderShown ? `${header} ` : <span className="visually-hidden">{header}: </span>}
      {content}
    </span>
  );
}

interface HeaderProps<Item> {
  column: Column<Item>;
  list: List | undefined;
  isMain: boolean;
}

function SortHeader<Item>({ column, list, isMain }: HeaderProps<Item>) {
  const { header, sort, isNumeric, width } = column;
  const direction =
    sort === undefined || list === undefined
      ? undefined
      : list.sort === sort
        ? 'ascending'
        : list.sort === `-${sort}`
          ? 'descending'
          : undefined;
  return (
    <th
      scope="col"
      data-numeric={isNumeric === true}
      data-width={width ?? (isMain ? 'main' : undefined)}
      aria-sort={direction}
    >
      {sort === undefined || list === undefined ? (
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

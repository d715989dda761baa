// The rows of a DataTable on small screens: each a card with the first column as its title and the rest as pairs.
import { useText } from '../texts.ts';
import classes from './data-table.module.css';
import { type Column, type DataTableProps, withId } from './data-table.tsx';
import { SelectionBox } from './data-table-parts.tsx';
import { Menu } from './menu.tsx';

type Props<Row> = DataTableProps<Row> & { columns: readonly Column<Row>[]; rows: readonly Row[] };

export function DataCards<Row extends object>(props: Props<Row>) {
  const { caption, columns, rows, rowId, rowName, actions, selected, onSelect } = props;
  const text = useText('ui');
  const [first, ...others] = columns;
  return (
    <ul className={classes.cards} aria-label={caption}>
      {rows.map((row) => (
        <li key={rowId(row)} className={classes.card} data-row="">
          <div className={classes.cardTop}>
            {selected === undefined ? null : (
              <SelectionBox
                label={text('selectRow', { name: rowName(row) })}
                isOn={selected.has(rowId(row))}
                onChange={(isOn) => onSelect?.(withId(selected, rowId(row), isOn))}
              />
            )}
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

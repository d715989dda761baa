// A few rows inside a card, without sorting or pages; on small screens each row becomes pairs.
import type { ReactNode } from 'react';
import classes from './plain-table.module.css';

interface Props {
  caption: string;
  headers: readonly string[];
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
}

export function PlainTable({ caption, headers, rows }: Props) {
  return (
    <table className={classes.table}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {headers.map((header) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, cells }) => (
          <tr key={id}>
            {cells.map((cell, index) => (
              <td key={headers[index]} data-header={headers[index]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

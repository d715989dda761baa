// A few rows without sorting or pages; on small screens each row becomes pairs.
import type { ReactNode } from 'react';
import classes from './plain-table.module.css';

interface Props {
  caption: string;
  isCaptionHidden?: boolean;
  headers: readonly string[];
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
  /** All columns but the first. */
  isNumeric?: boolean;
}

export function PlainTable({ caption, isCaptionHidden, headers, rows, isNumeric }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={caption}>
      <table className={classes.table} data-numeric={isNumeric}>
        <caption className={isCaptionHidden ? 'visually-hidden' : undefined}>{caption}</caption>
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
          {rows.map(({ id, cells: [first, ...others] }) => (
            <tr key={id}>
              <th scope="row">{first}</th>
              {others.map((cell, index) => (
                <td key={headers[index + 1]} data-header={headers[index + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

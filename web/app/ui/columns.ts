// Columns of a list, and how the user wants to see them.
import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  /** The first column contains the link or button that the whole row activates. */
  cell: (row: Row) => ReactNode;
  /** A second line below it, only in the table. */
  under?: (row: Row) => ReactNode;
  /**
   * On small screens: a `mark` is at the end of the first line, a second one at the end of the second line; `line`
   * columns form the second line. Others are hidden.
   */
  small?: 'mark' | 'line';
  /** Content on small screens, where there is no header; `cell` by default. */
  smallCell?: (row: Row) => ReactNode;
  /** Column width; without one it shares the remaining space. The first column has two fifths by default. */
  width?: 'day' | 'date' | 'mark' | 'fifth' | 'quarter' | 'third';
  /** Name in the server's `sort`; undefined if not sortable. */
  sort?: string;
  isNumeric?: boolean;
  /** Hidden unless the user shows it. */
  isHidden?: boolean;
}

export interface View {
  hidden: string[];
  isCompact: boolean;
}

export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: Set<string>) => void;
  actions: ReactNode;
}

export function withId(ids: ReadonlySet<string>, id: string, isIn: boolean): Set<string> {
  const next = new Set(ids);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}

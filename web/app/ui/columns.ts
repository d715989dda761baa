import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  /** The first column contains the link or button that the whole row activates. */
  cell: (row: Row) => ReactNode;
  /** A second line, only in the table. */
  under?: (row: Row) => ReactNode;
  /**
   * Position on small screens: the first `mark` ends the first line, a second one the second line, which `line` columns
   * form. Others are hidden.
   */
  small?: 'mark' | 'line';
  /** Content on small screens, without a header; `cell` by default. */
  smallCell?: (row: Row) => ReactNode;
  /** On small screens the header stands before a text. */
  isNamed?: boolean;
  width?: 'day' | 'date' | 'mark' | 'quarter' | 'third';
  /** Name in the server's `sort`. */
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
  /** After the actions, such as a button for all rows that match. */
  more?: ReactNode;
}

export function withId(ids: ReadonlySet<string>, id: string, isIn: boolean): Set<string> {
  const next = new Set(ids);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}

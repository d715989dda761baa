// What a list of the app shows: its columns, and how the person likes to see it.
import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  /** The first column carries the link or button of the row, which the whole row opens. */
  cell: (row: Row) => ReactNode;
  /** A quiet second line below it, in the table only. */
  under?: (row: Row) => ReactNode;
  /**
   * On small screens, where a row has two lines: a `mark` stands at the end of the first line, the next one at the end of
   * the second; what is part of the `line` follows each other in the second. The others are left out.
   */
  small?: 'mark' | 'line';
  /** What it says on small screens, where no header explains it; `cell` unless given. */
  smallCell?: (row: Row) => ReactNode;
  /** Of the table; without one it shares the room that is left. The first column has two fifths unless given. */
  width?: 'day' | 'date' | 'mark' | 'fifth' | 'quarter' | 'third';
  /** The word of the server's `sort`; left out when it cannot be sorted. */
  sort?: string;
  isNumeric?: boolean;
  /** Not shown until somebody chooses it. */
  isHidden?: boolean;
}

export interface View {
  /** Ids of columns. */
  hidden: string[];
  isCompact: boolean;
}

/** Rows that are chosen for something done to all of them. */
export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: Set<string>) => void;
  /** Buttons beside the count. */
  actions: ReactNode;
}

export function withId(ids: ReadonlySet<string>, id: string, isIn: boolean): Set<string> {
  const next = new Set(ids);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}

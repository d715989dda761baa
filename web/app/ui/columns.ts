// What a table of the app shows: its columns, and how the person likes to see it.
import type { ReactNode } from 'react';

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

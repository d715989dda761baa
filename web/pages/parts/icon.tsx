// Line icons on a 20 px grid, drawn for these pages. Always beside a word, so always hidden from screen readers.
import type { ReactNode } from 'react';

const paths = {
  download: 'M10 3.5v9m-3.75-3.5L10 12.75 13.75 9M4 16.5h12',
  clock: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm0 3.25V10l2.5 1.75',
  lock: 'M5.5 9h9a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Zm1.75 0V6.25a2.75 2.75 0 0 1 5.5 0V9',
  alert: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm0 3.5v4m0 2.75v.01',
  warning: 'M10 3.5 17.25 16H2.75L10 3.5Zm0 5v3.25m0 2v.01',
  check: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm-3 7.25 2.1 2.1L13 8.25',
  info: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm0 6.5v4m0-6.76v.01',
  file: 'M6 3h5l4 4v9.5a.5.5 0 0 1-.5.5H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Zm5 0v4h4',
  key: 'M7 9.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Zm2.5 1L16 4m-3 3 2 2',
  mail: 'M4 5h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Zm-.75.75L10 11l6.75-5.25',
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Zm4 9.5 3.75 3.75',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

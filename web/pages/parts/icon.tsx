// Always next to text, so hidden from screen readers.
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
  people:
    'M7.5 4a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5Zm-5 12.25c0-2.5 2.2-4.25 5-4.25s5 1.75 5 4.25M13 4.35a2.75 2.75 0 0 1 0 4.8m1.75 3.2c1.7.6 2.75 1.95 2.75 3.9',
  upload: 'M10 13V4m-3.75 3.5L10 3.75l3.75 3.75M4 16.5h12',
  repeat: 'M4 9.5V9a3 3 0 0 1 3-3h9m-2.75-2.75L16 6l-2.75 2.75M16 10.5v.5a3 3 0 0 1-3 3H4m2.75 2.75L4 14l2.75-2.75',
  pause: 'M7 5v10M13 5v10',
  tick: 'm5 10.5 3.5 3.5L15 6.5',
  shield: 'M10 3l6 2v4.5c0 3.7-2.5 6.4-6 7.5-3.5-1.1-6-3.8-6-7.5V5l6-2Zm-2.5 7 1.9 1.9L13 8.25',
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

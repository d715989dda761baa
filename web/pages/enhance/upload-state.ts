import type { Transfers } from '../../../transfer/engine.ts';
import type { RateMeter } from '../../../transfer/rate.ts';
import type { Announcer, UploadAnnouncements } from '../../uploads/announcements.ts';
import type { StoredFile, UploadStore } from '../../uploads/saved-uploads.ts';
import type { Batch } from './batch.ts';
import type { Delivery } from './delivery.ts';
import type { DraftStore, FileIdentity } from './draft.ts';
import type { Row } from './rows.ts';
import type { Texts } from './texts.ts';
import type { Total } from './total.ts';

export interface UploadPage {
  area: HTMLElement;
  form: HTMLFormElement;
  texts: Texts;
  announcer: Announcer;
  announcements: UploadAnnouncements;
  store: UploadStore;
  draft: DraftStore;
  meter: RateMeter;
  transfers: Transfers;
  list: HTMLElement;
  rows: Map<string, Row>;
  total: Total;
  delivery: Delivery;
  batch: Batch;
  restored: Restored;
}

export type Arrived = Extract<StoredFile, { is: 'arrived' }>;

export interface Restored {
  /** The next delivery includes them. */
  arrived: Arrived[];
  /** They must be chosen again. */
  missing: FileIdentity[];
}

export function find<T extends HTMLElement>(area: HTMLElement, name: string): T {
  return area.querySelector<T>(`[data-${name}]`)!;
}

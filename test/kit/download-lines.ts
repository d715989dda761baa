// Lines of the download log, for logs that are longer or older than a test can create by downloads.
import type { DownloadsTable } from '#server/db/schema/schema.ts';
import { testStart } from './app.ts';

export type LineOf = Pick<DownloadsTable, 'owner_id' | 'number' | 'attachment_id'>;

/** By default a complete download of 100 bytes by an unknown visitor. */
export function downloadLine(of: LineOf, more: Partial<DownloadsTable> = {}): DownloadsTable {
  return {
    ...of,
    message_id: null,
    link_id: null,
    kind: 'visitor',
    recipient: '',
    api_key_id: '',
    outcome: 'complete',
    granted_at: testStart,
    finished_at: testStart + 10,
    sent_bytes: 100,
    delivered: 'all',
    duration_ms: 10,
    served_by: '',
    is_crashed: 0,
    position: 0,
    body_start: 0,
    remote_ip: '192.0.2.1',
    remote_host: '',
    user_agent: '',
    browser: '',
    os: '',
    platform: 'desktop',
    location: '',
    longitude: null,
    latitude: null,
    country_code: '',
    country_name: '',
    city: '',
    region_code: '',
    region_name: '',
    ...more,
  };
}

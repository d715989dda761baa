/** Newest first: wire names, instants in milliseconds. */
export type ExportedRows = Record<string, string | number | boolean | null>[];

export type ExportedList =
  | 'messages_sent'
  | 'messages_received'
  | 'deliveries'
  | 'files'
  | 'links'
  | 'requests'
  | 'downloads'
  | 'download_requests'
  | 'visits'
  | 'mails'
  | 'passkeys'
  | 'contacts'
  | 'events';

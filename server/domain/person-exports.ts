// What an export of a person's data contains.

/** Rows of one list, newest first: names of the wire, instants as milliseconds. */
export type ExportedRows = Record<string, string | number | boolean | null>[];

export type ExportedList =
  | 'messages_sent'
  | 'messages_received'
  | 'deliveries'
  | 'files'
  | 'links'
  | 'requests'
  | 'downloads'
  | 'visits'
  | 'mails'
  | 'contacts'
  | 'events';

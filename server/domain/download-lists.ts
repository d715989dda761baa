// Lines of the download log of everybody, as administrators and auditors see them: never the name of a file.

/** Where a page begins: behind this line. */
export interface DownloadPlace {
  grantedAt: number;
  ownerId: string;
  number: number;
}

export interface EverybodysDownload extends DownloadPlace {
  attachmentId: string;
  messageId: string | null;
  linkId: string | null;
  recipient: string;
  outcome: 'granted' | 'complete' | 'partial' | 'cut' | 'refunded';
  sentBytes: number;
  remoteIp: string;
  countryCode: string;
  countryName: string;
  city: string;
  browser: string;
  os: string;
}

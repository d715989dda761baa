/** The next page begins after this line. */
export interface DownloadPlace {
  grantedAt: number;
  ownerId: string;
  number: number;
}

export interface AdminDownload extends DownloadPlace {
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

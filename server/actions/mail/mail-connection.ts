// Mail functions outside the outbox, for calls of administrators. Implemented by installation/mail-route.ts.
import type { Check } from '../../domain/checks.ts';
import type { NameRecords } from '../../lib/name-records.ts';
import type { RenderedMail } from '../../mail/render.ts';

export interface MailRoute {
  /** False without a mail server: mails are stored as files. */
  isReal: boolean;
  /** `host:port`, or the folder of stored mails. */
  server: string;
  /** Null without a mail server. */
  host: string | null;
  security: 'TLS' | 'STARTTLS' | 'none';
  user: string | null;
  from: string;
  envelopeFrom: string;
  ownDomains: readonly string[];
  /** 0 for no limit. */
  perMinute: number;
}

export interface MailConnection {
  route: MailRoute;
  records: NameRecords;
  /** Sends now, bypassing the queue, and reports each step. Never throws. */
  sendNow(mail: { id: string; to: string; rendered: RenderedMail }): Promise<Check[]>;
}

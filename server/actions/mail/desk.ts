// What administrators' calls about mail need from the outside: how mail leaves, name servers, and one mail handed over
// while they wait. Made by installation/mail-route.ts; everything else is mailed through the outbox.
import type { Check } from '../../domain/checks.ts';
import type { NameRecords } from '../../lib/name-records.ts';
import type { RenderedMail } from '../../mail/render.ts';

export interface MailRoute {
  /** False: there is no mail server, mails are kept as files. */
  isReal: boolean;
  /** `host:port`, or the folder mails are kept in. */
  server: string;
  /** The host of the mail server; null without one. */
  host: string | null;
  security: 'TLS' | 'STARTTLS' | 'none';
  user: string | null;
  from: string;
  envelopeFrom: string;
  ownDomains: readonly string[];
  /** 0 for no limit. */
  perMinute: number;
}

export interface MailDesk {
  route: MailRoute;
  records: NameRecords;
  /** Hands it over now, past the queue, and says each step. Never throws. */
  handOver(mail: { id: string; to: string; rendered: RenderedMail }): Promise<Check[]>;
}

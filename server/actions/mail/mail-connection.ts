// Mail functions outside the outbox, for calls of administrators. Implemented by installation/mail-route.ts.
import type { Check } from '../../domain/checks.ts';
import type { MailInForce, MailSettings, MailSetup } from '../../domain/mail-settings.ts';
import type { NameRecords } from '../../lib/name-records.ts';
import type { RenderedMail } from '../../mail/render.ts';

export interface MailRoute extends MailSettings {
  /** False without a mail server: mails are stored as files. */
  isReal: boolean;
  /** `host:port`, or the folder of stored mails. */
  server: string;
  /** Null without a mail server. */
  host: string | null;
  security: 'TLS' | 'STARTTLS' | 'none';
  user: string | null;
  source: MailInForce['source'];
}

export interface MailConnection {
  readonly route: MailRoute;
  inForce(): MailInForce;
  /** What would be in force with these settings of the console. */
  with(saved: MailSetup): { inForce: MailInForce; route: MailRoute };
  records: NameRecords;
  /** Sends now, bypassing the queue, and reports each step. Never throws. */
  sendNow(mail: { id: string; to: string; rendered: RenderedMail }, candidate?: MailInForce): Promise<Check[]>;
}

// The mail of an installation, in memory, sent only when a test asks for it.
import assert from 'node:assert/strict';
import type { OutgoingMail } from '#server/domain/ports.ts';
import type { StartOptions, TestApp } from './app.ts';
import { type MemoryTransport, openMemoryTransport } from './mail-transport.ts';

export interface PostedMail extends OutgoingMail {
  kind: string;
  about: string | null;
}

export interface Mailbox {
  transport: MemoryTransport;
  /** For the start of an installation: no job runs automatically, so no mail is sent unasked. */
  options: StartOptions;
  /** Sends queued mails and returns them, oldest first, except security notices and welcomes. */
  post(app: TestApp): Promise<PostedMail[]>;
  postAbout(app: TestApp, id: string): Promise<PostedMail[]>;
  postTo(app: TestApp, address: string): Promise<PostedMail[]>;
}

export function openMailbox(): Mailbox {
  const transport = openMemoryTransport();
  const mailbox: Mailbox = {
    transport,
    options: { mailTransport: transport, environment: { WAYBILL_ROLE: 'web', WAYBILL_MAIL_RATE: '0' } },
    async post(app) {
      const before = transport.sent.length;
      await app.app.jobs.runOnce('send-outbox');
      const rows = await app.app.ctx.db.read.selectFrom('outbox').selectAll().execute();
      const byId = new Map(rows.map((row) => [row.id, row]));
      return transport.sent
        .slice(before)
        .map(({ mail }) => {
          const row = byId.get(/^<(.*)@/.exec(mail.messageId)![1]!)!;
          return { ...mail, kind: row.kind, about: row.message_id ?? row.request_id ?? row.link_id };
        })
        .filter(({ kind }) => kind !== 'security-notice' && kind !== 'welcome');
    },
    async postAbout(app, id) {
      return (await mailbox.post(app)).filter((mail) => mail.about === id);
    },
    async postTo(app, address) {
      return (await mailbox.post(app)).filter((mail) => mail.to === address);
    },
  };
  return mailbox;
}

/** The code of a mail, as a person would type it. */
export function codeIn(mail: OutgoingMail): string {
  const code = /\b([A-Z2-9]{4}-[A-Z2-9]{4})\b/.exec(mail.text)?.[1];
  assert.ok(code !== undefined, `no code in: ${mail.text}`);
  return code;
}

// A mail transport in memory: keeps accepted mails and returns chosen results.
import type { MailResult, MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { openSmtpTransport } from '#server/mail/smtp.ts';
import { composeMime, findFault } from '#server/mail/transports/compose.ts';

export interface MemoryTransport extends MailTransport {
  /** Oldest first. */
  readonly sent: { mail: OutgoingMail; mime: Buffer }[];
  /** Decides the results of later mails. */
  answer: ((mail: OutgoingMail) => MailResult) | null;
}

export function openMemoryTransport({ isReal = true } = {}): MemoryTransport {
  const sent: MemoryTransport['sent'] = [];
  const transport: MemoryTransport = {
    isReal,
    sent,
    answer: null,
    async send(mail) {
      const fault = findFault(mail);
      if (fault !== null) return { outcome: 'refused', reason: `not handed over: ${fault}` };
      const mime = await composeMime(mail);
      const result = transport.answer?.(mail) ?? {
        outcome: 'accepted',
        serverText: `kept as number ${sent.length + 1}`,
      };
      if (result.outcome === 'accepted') sent.push({ mail, mime });
      return result;
    },
    async close() {},
  };
  return transport;
}

export function openRelayTransport(port: number): MailTransport {
  return openSmtpTransport({ url: `smtp://127.0.0.1:${port}` });
}

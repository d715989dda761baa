// From a rendered mail to what goes over the wire: who it is from, where replies and problems go.
import type { Ctx } from '../actions/context.ts';
import { domainOf } from '../domain/audience.ts';
import type { OutgoingMail } from '../domain/ports.ts';
import type { RenderedMail } from '../mail/render.ts';

export interface MailSettings {
  /** The visible sender address of the installation. */
  from: string;
  envelopeFrom: string;
  /** Declared ours: for a person of these domains, From is their own address (experience 8.2). */
  ownDomains: readonly string[];
  /** Mails a minute; 0 for no limit. */
  perMinute: number;
}

interface Addressed {
  id: string;
  to: string;
  /** The person in whose name it is written. */
  sender: { name: string; address: string } | null;
  rendered: RenderedMail;
}

/** The same at every attempt, so that a mail which came twice is shown once. */
export function messageIdOf(settings: MailSettings, id: string): string {
  return `<${id}@${domainOf(settings.from)}>`;
}

export function outgoingMail(ctx: Ctx, settings: MailSettings, { id, to, sender, rendered }: Addressed): OutgoingMail {
  const isOwn =
    rendered.replyTo === 'person' && sender !== null && settings.ownDomains.includes(domainOf(sender.address));
  return {
    messageId: messageIdOf(settings, id),
    from: isOwn ? { name: sender.name, address: sender.address } : { name: rendered.fromName, address: settings.from },
    to,
    replyTo: rendered.replyTo === 'person' ? (sender?.address ?? null) : ctx.settings.current().branding.contactAddress,
    envelopeFrom: settings.envelopeFrom,
    subject: rendered.subject,
    text: rendered.text,
    html: rendered.html,
    pictures: rendered.pictures,
    headers: rendered.headers,
  };
}

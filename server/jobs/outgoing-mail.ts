// Converts a rendered mail for the transport.
import type { Ctx } from '../actions/context.ts';
import { domainOf } from '../domain/audience.ts';
import type { MailSettings } from '../domain/mail-settings.ts';
import type { OutgoingMail } from '../domain/ports.ts';
import type { RenderedMail } from '../mail/render.ts';

interface Addressed {
  id: string;
  to: string;
  sender: { name: string; address: string } | null;
  rendered: RenderedMail;
}

/** Equal at every attempt, so that mail clients detect duplicates. */
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

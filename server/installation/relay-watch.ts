// Looks at the mail server now and then, and at once when it did not take a mail. In the background: one that is silent
// must not hold up anything else.
import type { MailTransport } from '../domain/ports.ts';
import type { Look } from './watch.ts';

const everyMs = 5 * 60_000;
const againMs = 30_000;

export interface WatchedRelay {
  transport: MailTransport;
  look: Look;
}

export function watchRelay(transport: MailTransport): WatchedRelay {
  let fault: string | null = null;
  let dueAt = 0;
  let isLooking = false;

  async function lookNow(): Promise<void> {
    isLooking = true;
    const said = await transport.look!().catch((error: unknown) => String(error));
    fault = said === null ? null : `The mail server does not take mail: ${said}. Mails wait and are tried again.`;
    dueAt = performance.now() + (fault === null ? everyMs : againMs);
    isLooking = false;
  }

  return {
    transport: {
      ...transport,
      async send(mail) {
        const result = await transport.send(mail);
        if (result.outcome === 'deferred') dueAt = Math.min(dueAt, performance.now());
        return result;
      },
    },
    look: {
      name: 'mail',
      async look() {
        if (transport.look !== undefined && !isLooking && performance.now() >= dueAt) void lookNow();
        return fault;
      },
    },
  };
}

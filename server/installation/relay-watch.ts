// Checks the mail server regularly, and after it deferred a mail. Runs in the background, because a silent server must
// not delay anything else.
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

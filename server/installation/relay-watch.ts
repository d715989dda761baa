// Checks the mail server regularly, and after it deferred a mail. Runs in the background, because a silent server must
// not delay anything else.
import { unacceptedMails } from '../actions/alerts/checks.ts';
import type { MailTransport } from '../domain/ports.ts';
import type { HealthCheck } from './watch.ts';

const everyMs = 5 * 60_000;
const againMs = 30_000;

export interface WatchedRelay {
  transport: MailTransport;
  check: HealthCheck;
}

export function watchRelay(transport: MailTransport): WatchedRelay {
  let fault: string | null = null;
  let dueAt = 0;
  let isChecking = false;
  let unaccepted = 0;
  let reason = '';

  const refusing = () =>
    unaccepted < unacceptedMails
      ? null
      : `The mail server accepts no mail: the last ${unaccepted} were not taken (${reason}). waybill-server mail test ADDRESS shows the step.`;

  async function checkNow(): Promise<void> {
    isChecking = true;
    const found = await transport.check!().catch((error: unknown) => String(error));
    fault = found === null ? null : `The mail server does not take mail: ${found}. Mails wait and are tried again.`;
    dueAt = performance.now() + (fault === null ? everyMs : againMs);
    isChecking = false;
  }

  return {
    transport: {
      ...transport,
      get isReal() {
        return transport.isReal;
      },
      async send(mail) {
        const result = await transport.send(mail);
        // Without a mail server they wait for its set-up.
        unaccepted = result.outcome === 'accepted' || !transport.isReal ? 0 : unaccepted + 1;
        if (result.outcome !== 'accepted') ({ reason } = result);
        if (result.outcome === 'deferred') dueAt = Math.min(dueAt, performance.now());
        return result;
      },
    },
    check: {
      name: 'mail',
      async check() {
        if (transport.check !== undefined && !isChecking && performance.now() >= dueAt) void checkNow();
        return fault ?? refusing();
      },
    },
  };
}

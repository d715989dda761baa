// `waybill-server mail queue` lists waiting mails. `waybill-server mail test ADDRESS` sends one mail without the
// outbox, so that the operator sees the mail server's answer.
import { findMailLogo } from '../actions/branding/branding.ts';
import type { Ctx } from '../actions/context.ts';
import { mailFrame } from '../actions/messages/mails.ts';
import { withInstallation } from '../app.ts';
import { type Config, readConfig, takeSecrets } from '../config.ts';
import type { MailResult } from '../domain/ports.ts';
import { openMailService } from '../installation/mail-route.ts';
import { outgoingMail } from '../jobs/outgoing-mail.ts';
import { parseAddress } from '../lib/address.ts';
import { silentLog } from '../lib/log.ts';
import type { TestPayload } from '../mail/kinds/test-mail.ts';
import { renderMail } from '../mail/render.ts';
import { showMailQueue } from './mail-queue.ts';
import { terminal } from './terminal.ts';

export async function mail(args: string[]): Promise<number> {
  const isJson = args[1] === '--json';
  if (args[0] === 'queue' && args.length === (isJson ? 2 : 1)) {
    const config = readConfig();
    takeSecrets();
    await withInstallation(config, silentLog, (ctx) => showMailQueue(ctx, isJson, terminal));
    return 0;
  }
  return testMail(args);
}

async function testMail(args: string[]): Promise<number> {
  const address = parseAddress(args[1] ?? '', { allowSingleLabel: true });
  if (args[0] !== 'test' || address === null || args.length > 2) {
    terminal.err('usage: waybill-server mail test ADDRESS\n       waybill-server mail queue [--json]\n');
    return 2;
  }
  const to = address.address;
  const config = readConfig();
  takeSecrets();
  const { result, isReal } = await withInstallation(config, silentLog, (ctx) => sendTest(ctx, config, to));
  process.stdout.write(`${sentence(result, to, { config, isReal })}\n`);
  return result.outcome === 'accepted' ? 0 : 1;
}

async function sendTest(ctx: Ctx, config: Config, to: string): Promise<{ result: MailResult; isReal: boolean }> {
  const id = ctx.random.id();
  const mail = openMailService(ctx, config);
  const settings = mail.settings();
  const { server, security, user } = mail.connection.route;
  const payload: TestPayload = {
    reference: id.slice(0, 8),
    requestedBy: 'waybill-server mail test',
    server,
    security: security === 'none' ? 'none (this machine)' : security,
    user,
    fromAddress: settings.from,
    envelopeFrom: settings.envelopeFrom,
    ratePerMinute: settings.perMinute,
  };
  const rendered = renderMail('test', payload, { ...mailFrame(ctx), logo: await findMailLogo(ctx) });
  try {
    const result = await mail.transport.send(outgoingMail(ctx, settings, { id, to, sender: null, rendered }));
    return { result, isReal: mail.transport.isReal };
  } finally {
    await mail.transport.close();
  }
}

function sentence(result: MailResult, to: string, { config, isReal }: { config: Config; isReal: boolean }): string {
  if (result.outcome !== 'accepted') return `✗ The mail to ${to} was not accepted: ${result.reason}`;
  if (!isReal)
    return `✓ There is no mail server (WAYBILL_SMTP_URL); the mail to ${to} is a file in ${config.dataDir}/mail`;
  return `✓ The mail server has accepted the mail to ${to}: ${result.serverText}`;
}

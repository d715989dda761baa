// `request`: asks a person for files.
import { createOnce } from '../creating.ts';
import { describeDryRun } from '../dry-run.ts';
import { longDate, readExpiry } from '../durations.ts';
import { openJob } from '../jobs.ts';
import { readAccount, type Session } from '../session.ts';

export interface RequestFlags {
  from: string;
  subject?: string;
  message?: string;
  expires?: string;
  multi?: boolean;
  email?: boolean;
  copyMe?: boolean;
  again?: boolean;
}

export async function request(session: Session, flags: RequestFlags): Promise<void> {
  const { world, settings, output } = session;
  const expires = settings.chosen('request', 'expires', flags.expires, (text) => readExpiry(text, world.now()));
  const fields = {
    recipient: flags.from,
    subject: flags.subject ?? '',
    message: flags.message ?? '',
    ...(expires === undefined ? {} : { expires_at: expires }),
    ...(flags.multi === true ? { multiuse: true } : {}),
    ...(flags.email === false ? { send_email: false } : {}),
    ...(flags.copyMe === true ? { bcc_myself: true } : {}),
  };
  const account = await readAccount(session);
  if (settings.isDryRun)
    return describeDryRun(session, [
      await session.client().createFileRequest({ body: { request: { ...fields, dry_run: true } } }),
    ]);
  const job = openJob(world, ['request', session.server(), account.user.email], flags);
  try {
    const creation = {
      name: 'request',
      body: { request: fields },
      hasKeys: account.chunkBytes !== null,
      isAgain: flags.again === true,
    };
    const answer = await createOnce(session, job, creation, (body, headers) =>
      session.client().createFileRequest({ body, headers, signal: world.signal }),
    );
    job.finish();
    const { request: made } = answer as Extract<typeof answer, { request: unknown }>;
    output.document({ request: made });
    output.event('requested', { ...made });
    output.say(`Asked ${flags.from} for files`, 'bold');
    output.say(`  Until      ${longDate(made.expires_at)}`);
    if (flags.email === false) output.say('  E-mail     none: pass the link on yourself');
    output.essence(made.url);
  } finally {
    job.release();
  }
}

// Mail settings of System Administrators: sealed, and saved only after a test mail was accepted.
import { releaseHeldMails } from '../../db/mail/outbox.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { ZoneRecord } from '../../domain/checks.ts';
import {
  defaultScope,
  emptyMailSetup,
  type MailField,
  type MailFieldFault,
  type MailInForce,
  type MailSecret,
  type MailSetup,
  mailSecrets,
  mailSetupFaults,
  usesTokens,
} from '../../domain/mail-settings.ts';
import { Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { createRsaKey, publicKeyBase64 } from '../../lib/pem.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';
import { recordTest, sendTestMail } from './delivery.ts';
import type { MailConnection } from './mail-connection.ts';

const place = 'console';

/** Null if administrators have saved none. */
export function readMailSetup(ctx: Ctx): MailSetup | null {
  return openMailSetup(ctx.keys, ctx.settings.current().mailSealed);
}

export function openMailSetup(keys: Pick<Ctx['keys'], 'openText'>, mailSealed: string | null): MailSetup | null {
  if (mailSealed === null) return null;
  const text = keys.openText('mail-settings', Buffer.from(mailSealed, 'base64'), place);
  return { ...emptyMailSetup, ...(JSON.parse(text) as Partial<MailSetup>) };
}

export interface MailSettingsView extends Omit<MailInForce, 'setup'> {
  /** Without secrets. */
  setup: Omit<MailSetup, MailSecret>;
  /** Wire names of the secrets that are set. */
  secrets: string[];
  dkimRecord: ZoneRecord | null;
}

export function describeMailSettings(caller: UserCaller, mailConnection: MailConnection): MailSettingsView {
  requireRight(caller, 'system.read');
  return viewOf(mailConnection.inForce());
}

function viewOf(inForce: MailInForce): MailSettingsView {
  const setup = inForce.setup ?? emptyMailSetup;
  return {
    ...inForce,
    setup: withoutSecrets(setup),
    secrets: mailSecrets.filter((name) => setup[name] !== '').map(wireName),
    dkimRecord: dkimRecordOf(setup),
  };
}

function withoutSecrets(setup: MailSetup): Omit<MailSetup, MailSecret> {
  const { password, clientSecret, certificate, refreshToken, dkimKey, ...rest } = setup;
  return rest;
}

function dkimRecordOf({ dkimDomain, dkimSelector, dkimKey }: MailSetup): ZoneRecord | null {
  if (dkimDomain === '' || dkimKey === '') return null;
  return {
    name: `${dkimSelector}._domainkey.${dkimDomain}`,
    type: 'TXT',
    value: `v=DKIM1; k=rsa; p=${publicKeyBase64(dkimKey)}`,
  };
}

/** A secret that is left out stays; an empty one is removed. */
export type MailSettingsInput = { [Field in keyof MailSetup]?: MailSetup[Field] | undefined };

/** Sends a test mail to the caller with the new settings, and saves them if it was accepted. */
export async function changeMailSettings(
  ctx: Ctx,
  caller: UserCaller,
  mailConnection: MailConnection,
  input: MailSettingsInput,
): Promise<MailSettingsView> {
  requireRight(caller, 'system.change');
  requireConsole(mailConnection);
  const setup = wholeSetup(input, readMailSetup(ctx));
  const faults = mailSetupFaults(setup);
  if (faults.length > 0) throw faultProblem(faults);
  const candidate = mailConnection.with(setup);
  const { to, steps } = await sendTestMail(ctx, caller, mailConnection, { candidate });
  await recordTest(ctx, caller, { to, kind: 'test', steps });
  if (steps.at(-1)?.state !== 'passed')
    throw new Problem(
      'invalid',
      'mail_settings.test_failed',
      'The test e-mail was not accepted, so nothing was saved.',
      { checks: steps },
    );
  await saveMailSetup(ctx, caller, setup);
  return viewOf(mailConnection.inForce());
}

/** Mails wait from then on, unless the environment names a mail server. */
export async function removeMailSettings(
  ctx: Ctx,
  caller: UserCaller,
  mailConnection: MailConnection,
): Promise<MailSettingsView> {
  requireRight(caller, 'system.change');
  await saveMailSetup(ctx, caller, null);
  return viewOf(mailConnection.inForce());
}

function requireConsole(mailConnection: MailConnection): void {
  const variable = mailConnection.inForce().fixed.method;
  if (variable === undefined) return;
  throw new Problem(
    'conflict',
    'mail_settings.from_environment',
    `The mail settings come from the environment (${variable}). Change them there.`,
  ).withValues({ variable });
}

async function saveMailSetup(ctx: Ctx, caller: UserCaller, setup: MailSetup | null): Promise<void> {
  const before = readMailSetup(ctx);
  await changeSettings(ctx, async (tx, current) => {
    await record(ctx, tx, caller, {
      action: 'mail.settings_changed',
      object: { kind: 'mail', id: 'settings' },
      ownerId: '',
      facts: { changes: changesBetween(before ?? emptyMailSetup, setup ?? emptyMailSetup) },
    });
    if (setup !== null) await releaseHeldMails(tx, ctx.clock.now());
    const mailSealed =
      setup === null ? null : tx.keys.sealText('mail-settings', JSON.stringify(setup), place).toString('base64');
    return { ...current, mailSealed };
  });
}

/** Secrets appear without their values. */
function changesBetween(before: MailSetup, after: MailSetup) {
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  for (const field of Object.keys(emptyMailSetup) as MailField[]) {
    if (before[field] === after[field]) continue;
    const shown = (value: string | number) =>
      value !== '' && (mailSecrets as readonly string[]).includes(field) ? '•••' : value;
    changes[wireName(field)] = {
      from: shown(before[field]),
      to: shown(after[field]),
    };
  }
  return changes;
}

/** A saved secret is never sent to another service than the one it was entered for. */
function wholeSetup(input: MailSettingsInput, saved: MailSetup | null): MailSetup {
  const given = Object.fromEntries(
    Object.entries(input).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, typeof value === 'string' ? value.trim() : value]],
    ),
  ) as Partial<MailSetup>;
  const secrets = Object.fromEntries(mailSecrets.map((name) => [name, given[name] ?? '']));
  const setup: MailSetup = { ...emptyMailSetup, ...given, ...secrets };
  if (saved === null) return completed(setup);
  const isSame = (...fields: MailField[]) => fields.every((field) => setup[field] === saved[field]);
  if (given.password === undefined && isSame('method', 'host', 'port', 'user')) setup.password = saved.password;
  if (isSame('method', 'tokenUrl', 'clientId', 'graphUrl', 'host'))
    for (const name of ['clientSecret', 'certificate', 'refreshToken'] as const)
      if (given[name] === undefined) setup[name] = saved[name];
  if (given.dkimKey === undefined) setup.dkimKey = saved.dkimKey;
  return completed(setup);
}

/** Removes what the chosen method does not use, and creates a DKIM key if none was entered. */
function completed(setup: MailSetup): MailSetup {
  const isSmtp = setup.method === 'smtp';
  const hasPassword = isSmtp && setup.signIn === 'password';
  const oauth = { tokenUrl: '', clientId: '', clientSecret: '', certificate: '', refreshToken: '', scope: '' };
  const signs = setup.dkimDomain !== '' || setup.dkimSelector !== '';
  return {
    ...setup,
    ...(isSmtp ? { graphUrl: emptyMailSetup.graphUrl } : { host: '', port: emptyMailSetup.port, signIn: 'oauth' }),
    ...(isSmtp && setup.signIn === 'none' ? { user: '' } : {}),
    ...(hasPassword ? {} : { password: '' }),
    ...(usesTokens(setup) ? { scope: setup.scope || defaultScope(setup) } : oauth),
    ...(setup.method === 'graph' ? { refreshToken: '' } : {}),
    dkimKey: !signs ? '' : setup.dkimKey === '' ? createRsaKey() : setup.dkimKey,
  };
}

const sentences: Record<MailFieldFault, string> = {
  missing: 'Fill in this field.',
  bad_host: 'Enter a host name such as mail.example.com.',
  bad_address: 'Enter an address that begins with https://.',
  bad_sender: 'Enter one e-mail address.',
  bad_certificate: 'Paste a certificate and its private key in PEM format.',
  bad_dkim_key: 'Paste a private RSA key in PEM format.',
};

export function faultProblem(faults: ReturnType<typeof mailSetupFaults>): Problem {
  const [{ field, fault } = { field: 'host', fault: 'missing' } as const] = faults;
  return new Problem('invalid', `mail_settings.${fault}`, sentences[fault], { field: wireName(field) });
}

function wireName(field: MailField): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

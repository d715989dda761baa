// Addresses that administrators assign. An address opens messages, so it acts only once it is confirmed or a System
// Administrator has set it, and one of an account that the caller may not manage is refused (docs/adr/0042).
import type { Tx } from '../../db/schema/schema.ts';
import { listHoldersOf } from '../../db/users/users.ts';
import { type AccountAddresses, givenAddresses } from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { AddressChange } from '../../domain/event-facts.ts';
import { invalid } from '../../domain/problem.ts';
import { isSystemAdministrator } from '../../domain/roles.ts';
import { readAliases, readEmail, type User } from '../../domain/users.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import type { UserInput } from './input.ts';
import { isVisible } from './rights.ts';

export type Addresses = Pick<
  User,
  'email' | 'senderAliases' | 'recipientAliases' | 'defaultSenderAlias' | 'provenAddresses'
>;

export const noAddresses: Addresses = {
  email: '',
  senderAliases: [],
  recipientAliases: [],
  defaultSenderAlias: '',
  provenAddresses: [],
};

const maxReasonLength = 500;

export function readReason(text: string | undefined): string {
  const reason = text?.trim().normalize('NFC') ?? '';
  if (reason.length > maxReasonLength || /[\u0000-\u001f\u007f]/.test(reason))
    throw invalid(
      'user.bad_reason',
      `A reason is one line of at most ${maxReasonLength} characters.`,
      'reason',
    ).withValues({
      n: maxReasonLength,
    });
  return reason;
}

export async function resolveAddresses(
  tx: Tx,
  caller: UserCaller,
  input: UserInput & { email: string },
  before: Addresses,
): Promise<Addresses> {
  const { email, recipientAliases: typed } = input;
  const recipientAliases = typed === undefined ? before.recipientAliases : readAliases(typed, 'recipient_aliases');
  const wanted = { email, recipientAliases, ...resolveSenderAliases(input, email, before) };
  const added = addedTo(before, wanted);
  for (const address of added) await assertMayGive(tx, caller, address, fieldOf(wanted, address));
  const vouched = vouchedFor(caller, readReason(input.reason), added, wanted);
  const provenAddresses = givenAddresses(wanted).filter(
    (address) => before.provenAddresses.includes(address) || vouched.includes(address),
  );
  return { ...wanted, provenAddresses };
}

function addedTo(before: Addresses, after: Omit<AccountAddresses, 'provenAddresses'>): string[] {
  const had = givenAddresses(before);
  return givenAddresses(after).filter((address) => !had.includes(address));
}

/**
 * A System Administrator vouches for added addresses, in a browser only with a reason; a reason also vouches for
 * earlier ones.
 */
function vouchedFor(
  caller: UserCaller,
  reason: string,
  added: string[],
  wanted: Omit<AccountAddresses, 'provenAddresses'>,
): string[] {
  if (!isSystemAdministrator(caller)) return [];
  if (reason !== '') return givenAddresses(wanted);
  return caller.apiKeyId === null ? [] : added;
}

async function assertMayGive(tx: Tx, caller: UserCaller, address: string, field: string): Promise<void> {
  if (isSystemAdministrator(caller)) return;
  const holders = await listHoldersOf(tx, address);
  if (holders.every((holder) => isVisible(caller, holder))) return;
  throw invalid(
    'user.address_not_permitted',
    `${address} belongs to an account that you can’t manage.`,
    field,
  ).withValues({ address });
}

function fieldOf(wanted: Pick<User, 'email' | 'senderAliases'>, address: string): string {
  if (address === wanted.email) return 'email';
  return wanted.senderAliases.includes(address) ? 'sender_aliases' : 'recipient_aliases';
}

/** Resets a default sender that is no longer an alias. */
function resolveSenderAliases(
  input: UserInput,
  email: string,
  before: Pick<User, 'senderAliases' | 'defaultSenderAlias'>,
): Pick<User, 'senderAliases' | 'defaultSenderAlias'> {
  const senderAliases =
    input.senderAliases === undefined ? before.senderAliases : readAliases(input.senderAliases, 'sender_aliases');
  const isOwn = (address: string) => address === '' || address === email || senderAliases.includes(address);
  const wanted = input.defaultSenderAlias;
  if (wanted === undefined)
    return { senderAliases, defaultSenderAlias: isOwn(before.defaultSenderAlias) ? before.defaultSenderAlias : '' };
  const chosen = wanted === '' ? '' : readEmail(wanted, 'default_sender_alias');
  if (!isOwn(chosen))
    throw invalid(
      'user.alias_unknown',
      'The default sender must be the e-mail address of the person or one of the sender aliases.',
      'default_sender_alias',
    );
  return { senderAliases, defaultSenderAlias: chosen };
}

/** Empty when nothing changed. */
export function addressFacts(before: Addresses, after: Addresses, reason: string): AddressChange {
  const names = {
    email: 'email',
    senderAliases: 'sender_aliases',
    recipientAliases: 'recipient_aliases',
    provenAddresses: 'confirmed_addresses',
  } as const;
  const changes: NonNullable<AddressChange['addresses']> = {};
  for (const [key, name] of Object.entries(names) as [keyof typeof names, string][]) {
    const [from, to] = [before[key], after[key]];
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[name] = { from, to };
  }
  return Object.keys(changes).length === 0 ? {} : { addresses: changes, reason };
}

export async function notifyAddresses(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  change: { userId: string; name: string; before: Addresses; after: Addresses; reason: string },
): Promise<void> {
  const { userId, name, before, after, reason } = change;
  const account = name === '' ? after.email : `${name} (${after.email})`;
  for (const to of addedTo(before, after)) {
    const event = after.provenAddresses.includes(to) ? 'address-given' : 'address-offered';
    await queueSecurityNotice(ctx, tx, caller, {
      event,
      userId,
      to,
      account,
      ...(reason === '' ? {} : { reason }),
    });
  }
}

// Which addresses of an account act. An address opens messages and is sent from only once it is proven: by a code or a
// link that was mailed to it, or because a System Administrator set it (security D10).
import { invalid, type Problem } from './problem.ts';

/** What an account is said to have, and which of it is proven. */
export interface AccountAddresses {
  email: string;
  senderAliases: readonly string[];
  recipientAliases: readonly string[];
  provenAddresses: readonly string[];
}

/** The same with the address that messages go out from if the sender names none. */
export interface SenderAddresses extends AccountAddresses {
  /** Empty or unverified: use the account address. */
  defaultSenderAlias: string;
}

/** The account's own address; null while it is not proven. */
export function actingEmail({
  email,
  provenAddresses,
}: Pick<AccountAddresses, 'email' | 'provenAddresses'>): string | null {
  return provenAddresses.includes(email) ? email : null;
}

export function actingSenderAliases({ senderAliases, provenAddresses }: AccountAddresses): string[] {
  return senderAliases.filter((address) => provenAddresses.includes(address));
}

/** Empty when messages are sent from the account address. */
export function actingDefaultAlias(account: SenderAddresses): string {
  return actingSenderAliases(account).includes(account.defaultSenderAlias) ? account.defaultSenderAlias : '';
}

export function actingRecipientAliases({ recipientAliases, provenAddresses }: AccountAddresses): string[] {
  return recipientAliases.filter((address) => provenAddresses.includes(address));
}

/** Every address the account was given, its own first. */
export function givenAddresses(account: Omit<AccountAddresses, 'provenAddresses'>): string[] {
  return [...new Set([account.email, ...account.senderAliases, ...account.recipientAliases])];
}

/** Those of them that act. */
export function actingAddresses(account: AccountAddresses): string[] {
  return givenAddresses(account).filter((address) => account.provenAddresses.includes(address));
}

export interface DescribedAddress {
  address: string;
  isOwn: boolean;
  isSender: boolean;
  isRecipient: boolean;
  isConfirmed: boolean;
}

/** Every address with what it is for. */
export function describeAddresses(account: AccountAddresses): DescribedAddress[] {
  const { email, senderAliases, recipientAliases, provenAddresses } = account;
  return givenAddresses(account).map((address) => ({
    address,
    isOwn: address === email,
    isSender: address === email || senderAliases.includes(address),
    isRecipient: address === email || recipientAliases.includes(address),
    isConfirmed: provenAddresses.includes(address),
  }));
}

/** Those that wait for a code. */
export function unprovenAddresses(account: AccountAddresses): string[] {
  return givenAddresses(account).filter((address) => !account.provenAddresses.includes(address));
}

export function unprovenAddress(address: string, field?: string): Problem {
  return invalid(
    'address.unconfirmed',
    `Confirm that ${address} is your address first: sign in, open Account and enter the code we e-mail to it.`,
    field,
  ).withValues({ address });
}

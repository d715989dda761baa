// Addresses of an account. Only confirmed ones open messages and send: those proven by a mailed code or link, or set by a
// System Administrator.
import { invalid, type Problem } from './problem.ts';

export interface AccountAddresses {
  email: string;
  senderAliases: readonly string[];
  recipientAliases: readonly string[];
  provenAddresses: readonly string[];
}

export interface SenderAddresses extends AccountAddresses {
  /** Empty or unverified: use the account address. */
  defaultSenderAlias: string;
}

/** The account address; null while unconfirmed. */
export function confirmedEmail({
  email,
  provenAddresses,
}: Pick<AccountAddresses, 'email' | 'provenAddresses'>): string | null {
  return provenAddresses.includes(email) ? email : null;
}

export function confirmedSenderAliases({ senderAliases, provenAddresses }: AccountAddresses): string[] {
  return senderAliases.filter((address) => provenAddresses.includes(address));
}

/** Empty if messages are sent from the account address. */
export function confirmedDefaultAlias(account: SenderAddresses): string {
  return confirmedSenderAliases(account).includes(account.defaultSenderAlias) ? account.defaultSenderAlias : '';
}

export function confirmedRecipientAliases({ recipientAliases, provenAddresses }: AccountAddresses): string[] {
  return recipientAliases.filter((address) => provenAddresses.includes(address));
}

/** Its own first. */
export function givenAddresses(account: Omit<AccountAddresses, 'provenAddresses'>): string[] {
  return [...new Set([account.email, ...account.senderAliases, ...account.recipientAliases])];
}

export function confirmedAddresses(account: AccountAddresses): string[] {
  return givenAddresses(account).filter((address) => account.provenAddresses.includes(address));
}

export interface DescribedAddress {
  address: string;
  isOwn: boolean;
  isSender: boolean;
  isRecipient: boolean;
  isConfirmed: boolean;
}

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

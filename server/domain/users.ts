import { parseAddress } from '../lib/address.ts';
import { MIN_PASSWORD_CHARS, refusePassword } from '../lib/password-rules.ts';
import type { Membership } from './groups.ts';
import { requireVisible } from './names.ts';
import { invalid } from './problem.ts';

/** Deleted users are never found. */
export interface User extends Membership {
  id: string;
  email: string;
  name: string;
  state: 'active' | 'disabled';
  passwordHash: string | null;
  /** They must change it at sign-in. */
  mustChangePassword: boolean;
  totpState: TotpState;
  passkeyCount: number;
  senderAliases: string[];
  recipientAliases: string[];
  /** See domain/addresses.ts. */
  provenAddresses: string[];
  /** Blank: their own address. */
  defaultSenderAlias: string;
  storedBytes: number;
  /** Null if never used. */
  dropName: string | null;
  isDropOpen: boolean;
  /** Null until chosen. */
  language: string | null;
  createdAt: number;
  lastSeenAt: number | null;
}

export type TotpState = 'off' | 'on';

export interface Person extends Omit<User, 'state' | 'passwordHash'> {
  /** `invited`: has no password yet and was never active. */
  state: User['state'] | 'invited';
  hasPassword: boolean;
}

export function personOf({ passwordHash, ...user }: User): Person {
  const hasPassword = passwordHash !== null;
  const isInvited = user.state === 'active' && !hasPassword && user.lastSeenAt === null;
  return { ...user, state: isInvited ? 'invited' : user.state, hasPassword };
}

/** The name, or the address if there is none. */
export function displayName({ name, email }: Pick<User, 'name' | 'email'>): string {
  return name === '' ? email : name;
}

export function readEmail(text: string, field = 'email'): string {
  const address = parseAddress(text, { allowSingleLabel: true });
  if (address === null) throw invalid('user.bad_email', 'Enter an e-mail address such as name@example.com.', field);
  return address.address;
}

/** A list, or text with commas. */
export function readAliases(value: string | string[], field: string): string[] {
  const list =
    typeof value === 'string'
      ? value
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== '')
      : value;
  if (list.length > 50) throw invalid('user.too_many_aliases', 'A person can have at most 50 aliases.', field);
  return [...new Set(list.map((item) => readEmail(item, field)))];
}

export function readName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name.length > 200 || /[\u0000-\u001f\u007f]/.test(name)) {
    throw invalid('user.bad_name', 'A name is one line of at most 200 characters.', 'name');
  }
  return requireVisible(name, 'name');
}

const passwordSentences = {
  too_short: `A password needs at least ${MIN_PASSWORD_CHARS} characters.`,
  too_long: 'This password is too long.',
  too_common: 'This password is easy to guess. Choose one that is hard to guess, such as four unrelated words.',
  contains_name: 'A password must not be built from the name, the address or the organisation.',
} as const;

export function assertGoodPassword(password: string, names: string[]): void {
  const refusal = refusePassword(password, names);
  if (refusal !== null)
    throw invalid(`password.${refusal}`, passwordSentences[refusal], 'password').withValues({ n: MIN_PASSWORD_CHARS });
}

/** As existing scripts expect (docs/adr/0009). */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100);
  return slug === '' ? 'unnamed' : slug;
}

// Sign-in services of the organisation: OpenID Connect, SAML and LDAP. Their fields are declared here once, for the
// environment, the console and the API.
import { parseAddress } from '../lib/address.ts';
import { parseDate } from '../lib/dates.ts';
import { parseLdapUrl } from '../lib/ldap/url.ts';
import { isProtectedUrl } from './mail-settings.ts';

export const serviceKinds = ['oidc', 'saml', 'ldap'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** Who gets an account at the first sign-in: everyone, people whose groups match, no one. */
export const provisionModes = ['all', 'matched', 'none'] as const;
export type ProvisionMode = (typeof provisionModes)[number];

/** How an identity is linked to an account that has its address. */
export const linkModes = ['prove', 'verified'] as const;
export type LinkMode = (typeof linkModes)[number];

interface ServiceField {
  meaning: string;
  /** The variable's suffix, if it is not the field's name. */
  suffix?: string;
  default?: string;
  choices?: readonly string[];
  isSecret?: true;
  /** NAME_FILE may name a file with the value. */
  isFile?: true;
  isNeeded?: true;
  isUrl?: true;
}

const caField = {
  ca: { meaning: 'PEM certificates of authorities that connections to it trust as well', isFile: true },
} as const satisfies Record<string, ServiceField>;

const onOff = ['on', 'off'] as const;

const commonFields = {
  name: { meaning: 'label on the sign-in page' },
  provision: {
    meaning:
      'who gets an account at the first sign-in: `all`, `matched` (people in a directory group that a group names), `none`',
    choices: provisionModes,
    default: 'matched',
  },
  link: {
    meaning:
      'how it is linked to an existing account with the same address: `prove` (old password or mailed code) or `verified` (without proof if it vouches for the address; never for administrators)',
    choices: linkModes,
    default: 'prove',
  },
  default_group: { meaning: 'id of the group for people whose directory groups match none' },
  scim_subject: {
    meaning: 'what SCIM sends as the id of a person at this service: `external_id` or `user_name`',
    choices: ['external_id', 'user_name'],
    default: 'external_id',
  },
  second_step: {
    meaning: 'its statement of a second step counts for groups that accept it',
    choices: onOff,
    default: 'off',
  },
} as const satisfies Record<string, ServiceField>;

const verified = (fallback: string) =>
  ({
    addresses_verified: {
      meaning: 'whether it vouches for addresses: `true`, `false`, or `claim` (`email_verified`)',
      choices: ['true', 'false', 'claim'],
      default: fallback,
    },
  }) as const satisfies Record<string, ServiceField>;

export const serviceFields = {
  oidc: {
    ...commonFields,
    ...verified('claim'),
    issuer: { meaning: 'issuer', isNeeded: true, isUrl: true },
    client_id: { meaning: 'client id', isNeeded: true },
    client_secret: { meaning: 'client secret', isSecret: true },
    client_secret_ends_on: { meaning: 'day on which the client secret ends (`2027-06-30`), for reminders before it' },
    client_auth: {
      meaning: 'how the client secret is sent: `basic`, `post`, or `automatic` (as the provider announces)',
      choices: ['automatic', 'basic', 'post'],
      default: 'automatic',
    },
    scopes: { meaning: 'scopes', default: 'openid email profile' },
    subject_claim: { meaning: 'claim that identifies a person; `oid` at Entra', default: '' },
    email_claim: { meaning: 'claim with the e-mail address', default: 'email' },
    name_claim: { meaning: 'claim with the name', default: 'name' },
    groups_claim: { meaning: 'claim with the groups', default: 'groups' },
    acr_values: { meaning: 'authentication context that is requested, and counts as a second step' },
    ...caField,
  },
  saml: {
    ...commonFields,
    ...verified('true'),
    metadata_url: { meaning: 'address of the metadata of the identity provider', isUrl: true },
    metadata: { meaning: 'its metadata, instead of the address', isFile: true },
    entity_id: { meaning: 'entity id of Waybill; empty for the address of its metadata' },
    subject_attribute: {
      meaning:
        'attribute that identifies a person; empty for a persistent NameID, `NameID` for any that is not transient',
    },
    email_attribute: { meaning: 'attribute with the e-mail address; empty for the usual ones' },
    name_attribute: { meaning: 'attribute with the name; empty for the usual ones' },
    groups_attribute: { meaning: 'attribute with the groups; empty for the usual ones' },
    authn_context: { meaning: 'authentication contexts that are requested, and count as a second step' },
    idp_initiated: {
      meaning: 'whether a sign-in may begin at the identity provider',
      choices: onOff,
      default: 'off',
    },
    ...caField,
  },
  ldap: {
    ...commonFields,
    ...verified('true'),
    url: { meaning: '`ldaps://` or `ldap+starttls://`; plain `ldap://` only to this machine', isNeeded: true },
    bind_dn: { meaning: 'account that searches' },
    bind_password: { meaning: 'its password', isSecret: true },
    base_dn: { meaning: 'where people are searched', isNeeded: true },
    directory_kind: {
      meaning: '`openldap` or `active_directory`',
      suffix: 'KIND',
      choices: ['openldap', 'active_directory'],
      default: 'openldap',
    },
    user_filter: { meaning: 'filter for people; `{login}` stands for what was entered' },
    email_attribute: { meaning: 'attribute with the e-mail address', default: 'mail' },
    group_base_dn: { meaning: 'where groups are searched; empty for the base' },
    disabled_filter: { meaning: 'filter for disabled people; empty for the usual attributes' },
    sync: { meaning: 'how often people are compared with the directory, at least `10s`', default: '15m' },
    ...caField,
  },
} as const satisfies Record<ServiceKind, Record<string, ServiceField>>;

export type FieldOf<Kind extends ServiceKind> = keyof (typeof serviceFields)[Kind] & string;

export function fieldsOf(kind: ServiceKind): Record<string, ServiceField> {
  return serviceFields[kind];
}

/** For forms. */
export function describeFields(kind: ServiceKind) {
  return Object.entries(fieldsOf(kind)).map(([name, field]) => ({
    name,
    meaning: field.meaning,
    choices: field.choices === undefined ? null : [...field.choices],
    fallback: field.default ?? '',
    isSecret: field.isSecret === true,
    isNeeded: field.isNeeded === true,
    isLong: field.isFile === true,
    variable: variableOf(kind, name),
  }));
}

/** The environment variable of a field. */
export function variableOf(kind: ServiceKind, field: string): string {
  const suffix = fieldsOf(kind)[field]?.suffix ?? field.toUpperCase();
  return `WAYBILL_${kind.toUpperCase()}_${suffix}`;
}

export interface SignInService {
  /** Part of its addresses. */
  id: string;
  kind: ServiceKind;
  /** On the sign-in page. */
  name: string;
  position: number;
  isEnabled: boolean;
  provision: ProvisionMode;
  link: LinkMode;
  /** Id of a group; empty for none. */
  defaultGroupId: string;
  addressesVerified: 'true' | 'false' | 'claim';
  /** Its statement of a second step counts for groups that accept it. */
  acceptsSecondStep: boolean;
  /** Other fields by wire name, without secrets. */
  settings: Readonly<Record<string, string>>;
  secrets: Readonly<Record<string, string>>;
  source: 'environment' | 'console';
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `15m`, `2h`, `10s`; null for what is no interval between ten seconds and a day. */
export function syncIntervalMs(text: string): number | null {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = count === undefined ? 0 : Number(count) * unitMs[unit as keyof typeof unitMs];
  return ms >= 10_000 && ms <= unitMs.d ? ms : null;
}

export type ServiceFault = {
  field: string;
  fault: 'missing' | 'bad_choice' | 'bad_url' | 'bad_ldap_url' | 'bad_interval' | 'bad_date';
};

/** Null and faults, or the service. Fields that are left out have their defaults. */
export function readService(
  kind: ServiceKind,
  id: string,
  given: Readonly<Record<string, string | undefined>>,
): { service: SignInService; faults: ServiceFault[] } {
  const values: Record<string, string> = {};
  const faults: ServiceFault[] = [];
  for (const [name, field] of Object.entries(fieldsOf(kind))) {
    const value = (given[name] ?? '').trim() || (field.default ?? '');
    values[name] = value;
    if (value === '' && field.isNeeded === true) faults.push({ field: name, fault: 'missing' });
    if (field.choices !== undefined && !field.choices.includes(value))
      faults.push({ field: name, fault: 'bad_choice' });
    if (field.isUrl === true && value !== '' && !isProtectedUrl(value)) faults.push({ field: name, fault: 'bad_url' });
  }
  const isBadLdapUrl = kind === 'ldap' && values.url !== '' && parseLdapUrl(values.url!) === null;
  if (isBadLdapUrl) faults.push({ field: 'url', fault: 'bad_ldap_url' });
  const isWithoutMetadata = kind === 'saml' && values.metadata_url === '' && values.metadata === '';
  if (isWithoutMetadata) faults.push({ field: 'metadata_url', fault: 'missing' });
  const isBadInterval = kind === 'ldap' && syncIntervalMs(values.sync!) === null;
  if (isBadInterval) faults.push({ field: 'sync', fault: 'bad_interval' });
  const secretEndsOn = values.client_secret_ends_on ?? '';
  if (secretEndsOn !== '' && parseDate(secretEndsOn) === null)
    faults.push({ field: 'client_secret_ends_on', fault: 'bad_date' });
  return { service: serviceOf(kind, id, values), faults };
}

const defaultNames: Record<ServiceKind, string> = { oidc: 'OpenID Connect', saml: 'SAML', ldap: 'LDAP' };

function serviceOf(kind: ServiceKind, id: string, values: Record<string, string>): SignInService {
  const { name, provision, link, default_group, addresses_verified, second_step, ...rest } = values;
  const isSecret = (field: string) => fieldsOf(kind)[field]?.isSecret === true;
  const part = (wanted: boolean) =>
    Object.fromEntries(Object.entries(rest).filter(([field]) => isSecret(field) === wanted));
  return {
    id,
    kind,
    name: name === '' ? defaultNames[kind] : name!,
    position: 0,
    isEnabled: true,
    provision: provision as ProvisionMode,
    link: link as LinkMode,
    defaultGroupId: default_group!,
    addressesVerified: addresses_verified as SignInService['addressesVerified'],
    acceptsSecondStep: second_step === 'on',
    settings: part(false),
    secrets: part(true),
    source: 'console',
  };
}

/** What a service says about a person. */
export interface Claims {
  /** Identifies the person at this service; never the address. */
  subject: string;
  /** Null if the service gave none. */
  address: string | null;
  isAddressVerified: boolean;
  name: string;
  /** Names or DNs of directory groups. Null: the claim is absent, which changes nothing. */
  groups: readonly string[] | null;
  /** The service left the groups out because there are too many. */
  hasGroupsOverage?: boolean;
  /** The service says that the person used a second step. */
  hasSecondStep: boolean;
}

/** The claims, also as the service sent them. */
export interface Answered {
  claims: Claims;
  raw: Record<string, unknown>;
}

export const maxSubjectLength = 500;
export const maxDirectoryGroups = 5000;

/** Normalizes an address from a directory; null if it is none. */
export function claimedAddress(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  return parseAddress(text.trim(), { allowSingleLabel: true })?.address ?? null;
}

/** For the list of attempts: enough to recognise a value, not to read it. */
function maskValue(value: unknown): string {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 10).map(maskValue).join(', ');
    return value.length > 10 ? `${shown}, … (${value.length})` : shown;
  }
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  const at = text.lastIndexOf('@');
  if (at > 0) return `${text.slice(0, 1)}•••${text.slice(at)}`.slice(0, 100);
  return text.length <= 4 ? '•••' : `${text.slice(0, 2)}•••${text.slice(-2)}`;
}

const maxShownClaims = 60;
/** Why an answer was not accepted, for administrators; no claim. */
const errorWords = 'error';

export function maskClaims(claims: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(claims)
      .slice(0, maxShownClaims)
      .map(([name, value]) => [
        name.slice(0, 100),
        name === errorWords ? String(value).slice(0, 500) : maskValue(value),
      ]),
  );
}

// Sign-in services in the environment: one of each kind, with the kind as its id.
import { type ConfigEntry, entry, secret, text } from './config-entry.ts';
import {
  type FieldOf,
  fieldsOf,
  readService,
  type ServiceFault,
  type ServiceKind,
  type SignInService,
  serviceKinds,
  variableOf,
} from './domain/sign-in-service-fields.ts';
import type { Secret } from './lib/secret.ts';

type FieldKey = { [Kind in ServiceKind]: `${Kind}_${FieldOf<Kind>}` }[ServiceKind];
type FieldValue = string | Secret | null;

function fieldEntries(): Record<FieldKey, ConfigEntry<FieldValue>> {
  const entries = serviceKinds.flatMap((kind) =>
    Object.entries(fieldsOf(kind)).map(([name, field]): [string, ConfigEntry<FieldValue>] => {
      const variable = variableOf(kind, name);
      const meaning = `${titles[kind]}: ${field.meaning}`;
      if (field.isSecret === true) return [`${kind}_${name}`, secret(variable, meaning)];
      const shown = field.default === undefined || field.default === '' ? '–' : `\`${field.default}\``;
      const reading = { default: field.default || null, read: (value: string) => value, defaultText: shown };
      const added = entry<FieldValue>(variable, meaning, reading);
      return [`${kind}_${name}`, field.isFile === true ? { ...added, hasFileTwin: true } : added];
    }),
  );
  return Object.fromEntries(entries) as Record<FieldKey, ConfigEntry<FieldValue>>;
}

const titles: Record<ServiceKind, string> = { oidc: 'OpenID Connect', saml: 'SAML', ldap: 'LDAP' };

export const identityEntries = {
  passwordSignIn: entry<'on' | 'off' | null>(
    'WAYBILL_PASSWORD_SIGN_IN',
    'whether people sign in with passwords of Waybill: `on` or `off`',
    {
      default: null,
      read: (value) => {
        if (value === 'on' || value === 'off') return value;
        throw new RangeError('must be on or off');
      },
      defaultText: 'as set in the console',
    },
  ),
  scimToken: secret('WAYBILL_SCIM_TOKEN', 'token of the SCIM client; others are created in the console'),
  scimService: text('WAYBILL_SCIM_SERVICE', 'id of the sign-in service that SCIM belongs to', 'the only one'),
  ...fieldEntries(),
};

type IdentityValues = { [Key in FieldKey]: FieldValue } & { passwordSignIn: 'on' | 'off' | null };

/** Fields of a kind that are set. */
function valuesOf(config: IdentityValues, kind: ServiceKind): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(fieldsOf(kind))) {
    const value = config[`${kind}_${name}` as FieldKey];
    if (value !== null) values[name] = typeof value === 'string' ? value : value.reveal();
  }
  return values;
}

function fromEnvironment(config: IdentityValues): { service: SignInService; faults: ServiceFault[] }[] {
  return serviceKinds.flatMap((kind) => {
    const values = valuesOf(config, kind);
    const isSet = ([name, value]: [string, string]) => value !== fieldsOf(kind)[name]?.default;
    return Object.entries(values).some(isSet) ? [readService(kind, kind, values)] : [];
  });
}

export function servicesFromEnvironment(config: IdentityValues): SignInService[] {
  return fromEnvironment(config).map(({ service }) => ({ ...service, source: 'environment' }));
}

const sentences: Record<ServiceFault['fault'], string> = {
  missing: 'is needed with the other settings of this sign-in service',
  bad_choice: 'has a value that is not one of its choices',
  bad_ldap_url: 'must begin with ldaps:// or ldap+starttls:// (ldap:// only for this machine)',
  bad_date: 'must be a day such as 2027-06-30',
  bad_interval: 'must be an interval from 10s to 1d, such as 15m',
  bad_url: 'must begin with https:// (http:// only for this machine)',
};

export function identityContradictions(config: IdentityValues): string[] {
  return fromEnvironment(config).flatMap(({ service, faults }) =>
    faults.map(({ field, fault }) => `${variableOf(service.kind, field)} ${sentences[fault]}.`),
  );
}

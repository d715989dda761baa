// What SCIM answers: people, groups, and what this server can do (RFC 7643, sections 5 to 8).

import type { GroupResource } from '../../actions/scim/groups.ts';
import type { ScimResource } from '../../actions/scim/people.ts';
import { groupSchema, type ScimMember, userSchema } from '../../domain/scim.ts';
import { isoInstant } from '../../lib/dates.ts';
import type { Complex } from '../../lib/scim/paths.ts';

export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';
export const maxPage = 200;

interface Stored {
  version: number;
  createdAt: number;
  updatedAt: number;
}

export const etagOf = ({ version }: Pick<Stored, 'version'>) => `W/"${version}"`;

function metaOf(base: string, resourceType: 'User' | 'Group', id: string, stored: Stored): Complex {
  return {
    resourceType,
    created: isoInstant(stored.createdAt),
    lastModified: isoInstant(stored.updatedAt),
    location: `${base}/${resourceType}s/${encodeURIComponent(id)}`,
    version: etagOf(stored),
  };
}

export function personBody(base: string, { row, groups }: ScimResource): Complex {
  const { userId: id, userName, externalId, isActive, attributes } = row;
  const extensions = Object.keys(attributes).filter((key) => key.startsWith('urn:'));
  return {
    schemas: [userSchema, ...extensions],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName,
    ...attributes,
    active: isActive,
    groups: groups.map((group) => ({
      value: group.id,
      display: group.displayName,
      type: 'direct',
      $ref: `${base}/Groups/${encodeURIComponent(group.id)}`,
    })),
    meta: metaOf(base, 'User', id, row),
  };
}

/** Without members if the client does not want them. */
export function groupBody(base: string, group: GroupResource, members: readonly ScimMember[] | null): Complex {
  const { id, displayName, externalId } = group;
  const listed = members?.map(({ id: value, kind }) => ({
    value,
    type: kind,
    $ref: `${base}/${kind}s/${encodeURIComponent(value)}`,
  }));
  return {
    schemas: [groupSchema],
    id,
    ...(externalId === null ? {} : { externalId }),
    displayName,
    ...(listed === undefined ? {} : { members: listed }),
    meta: metaOf(base, 'Group', id, group),
  };
}

export function providerConfig(base: string): Complex {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    documentationUri: `${new URL(base).origin}/docs`,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: maxPage },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token that an administrator created',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string): Complex[] {
  const typeOf = (name: 'User' | 'Group', schema: string) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  });
  return [typeOf('User', userSchema), typeOf('Group', groupSchema)];
}

interface Attribute {
  type?: 'boolean' | 'complex' | 'reference';
  multi?: true;
  required?: true;
  exact?: true;
  mutability?: 'readOnly';
  uniqueness?: 'server';
  inside?: readonly string[];
}

function attribute(name: string, given: Attribute): Complex {
  return {
    name,
    type: given.type ?? (given.inside === undefined ? 'string' : 'complex'),
    multiValued: given.multi === true,
    description: name,
    required: given.required === true,
    caseExact: given.exact === true,
    mutability: given.mutability ?? 'readWrite',
    returned: 'default',
    uniqueness: given.uniqueness ?? 'none',
    ...(given.inside === undefined
      ? {}
      : { subAttributes: given.inside.map((sub) => attribute(sub, sub === 'primary' ? { type: 'boolean' } : {})) }),
  };
}

const value = ['value', 'display', 'type', 'primary'];
const userAttributes: Record<string, Attribute> = {
  userName: { required: true, uniqueness: 'server' },
  externalId: { exact: true },
  name: { inside: ['formatted', 'familyName', 'givenName', 'middleName', 'honorificPrefix', 'honorificSuffix'] },
  ...Object.fromEntries(
    ['displayName', 'nickName', 'profileUrl', 'title', 'userType', 'preferredLanguage', 'locale', 'timezone'].map(
      (name) => [name, {}],
    ),
  ),
  active: { type: 'boolean' },
  ...Object.fromEntries(
    ['emails', 'phoneNumbers', 'ims', 'photos', 'entitlements', 'roles', 'x509Certificates'].map((name) => [
      name,
      { multi: true, inside: value } as const,
    ]),
  ),
  addresses: {
    multi: true,
    inside: ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country', 'type', 'primary'],
  },
  groups: { multi: true, mutability: 'readOnly', inside: ['value', '$ref', 'display', 'type'] },
};
const groupAttributes: Record<string, Attribute> = {
  displayName: { required: true, uniqueness: 'server' },
  externalId: { exact: true },
  members: { multi: true, inside: ['value', '$ref', 'type'] },
};

export function schemas(base: string): Complex[] {
  const schemaOf = (id: string, name: string, attributes: Record<string, Attribute>) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description: name,
    attributes: Object.entries(attributes).map(([key, one]) => attribute(key, one)),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  });
  return [schemaOf(userSchema, 'User', userAttributes), schemaOf(groupSchema, 'Group', groupAttributes)];
}

/** `attributes` and `excludedAttributes` of a query. */
export function selected(body: Complex, query: URLSearchParams): Complex {
  const names = (parameter: string) =>
    (query.get(parameter) ?? '')
      .split(',')
      .map((name) => name.trim().replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/i, ''))
      .filter((name) => name !== '')
      .map((name) => name.toLowerCase());
  const [wanted, excluded] = [names('attributes'), names('excludedAttributes')];
  const isAlways = (key: string) => key === 'schemas' || key === 'id';
  const isNamed = (list: string[], key: string) =>
    list.some((name) => name === key.toLowerCase() || name.startsWith(`${key.toLowerCase()}.`));
  return Object.fromEntries(
    Object.entries(body).filter(
      ([key]) =>
        isAlways(key) ||
        ((wanted.length === 0 ||
          isNamed(wanted, key) ||
          wanted.some((name) => name.startsWith(`${key.toLowerCase()}:`))) &&
          !excluded.includes(key.toLowerCase())),
    ),
  );
}

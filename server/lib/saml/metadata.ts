// Metadata of SAML 2.0: reads that of identity providers, writes our own.
import { X509Certificate } from 'node:crypto';
import { isLoopbackHost } from '../smtp-url.ts';
import { attribute, childrenOf, escapeXml, instantIn, names, parseXml, SamlFailure, textIn } from './xml.ts';

export interface IdentityProvider {
  entityId: string;
  /** Where browsers are sent. */
  url: string;
  /** Certificates that sign, Base64; several during a roll-over. */
  certificates: string[];
  wantsSignedRequests: boolean;
}

const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';

/** Throws a SamlFailure in words. */
export async function readProviderMetadata(text: string): Promise<IdentityProvider> {
  const root = await parseXml(text).catch((error: Error) => fail(`the metadata can't be read: ${error.message}`));
  const entities = entitiesIn(root).filter(
    (entity) => childrenOf(entity, names.metadata, 'IDPSSODescriptor').length > 0,
  );
  if (entities.length !== 1)
    return fail(`the metadata describes ${entities.length} identity providers, and must describe one`);
  const [entity] = entities as [Element];
  for (const element of [root, entity]) {
    const until = instantIn(element, 'validUntil');
    if (until !== null && !(until > Date.now())) return fail('the metadata has expired (validUntil)');
  }
  const role = childrenOf(entity, names.metadata, 'IDPSSODescriptor').find((one) =>
    attribute(one, 'protocolSupportEnumeration').split(/\s+/).includes(protocol),
  );
  const entityId = attribute(entity, 'entityID');
  if (role === undefined || entityId === '') return fail('the metadata has no identity provider of SAML 2.0');
  return {
    entityId,
    url: signInAddressOf(role),
    certificates: certificatesOf(role),
    wantsSignedRequests: ['true', '1'].includes(attribute(role, 'WantAuthnRequestsSigned')),
  };
}

function entitiesIn(root: Element): Element[] {
  if (root.namespaceURI !== names.metadata) return [];
  if (root.localName === 'EntityDescriptor') return [root];
  return root.localName === 'EntitiesDescriptor' ? childrenOf(root, names.metadata, 'EntityDescriptor') : [];
}

function signInAddressOf(role: Element): string {
  const service = childrenOf(role, names.metadata, 'SingleSignOnService').find(
    (one) => attribute(one, 'Binding') === redirectBinding,
  );
  if (service === undefined) return fail('the metadata has no SingleSignOnService with the HTTP-Redirect binding');
  const url = URL.parse(attribute(service, 'Location'));
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  return url !== null && isSafe ? url.href : fail('the SingleSignOnService of the metadata is not an https:// address');
}

function certificatesOf(role: Element): string[] {
  const certificates = childrenOf(role, names.metadata, 'KeyDescriptor')
    .filter((key) => ['', 'signing'].includes(attribute(key, 'use')))
    .flatMap((key) => childrenOf(key, names.signature, 'KeyInfo'))
    .flatMap((info) => childrenOf(info, names.signature, 'X509Data'))
    .flatMap((data) => childrenOf(data, names.signature, 'X509Certificate'))
    .map((element) => textIn(element).replace(/\s+/g, ''))
    .filter((certificate) => endOf(certificate) !== null);
  if (certificates.length === 0) return fail('the metadata has no certificate that signs');
  return [...new Set(certificates)].slice(0, 20);
}

/** When a certificate ends; null if it is none. */
export function endOf(certificate: string): number | null {
  try {
    return new X509Certificate(Buffer.from(certificate, 'base64')).validToDate.getTime();
  } catch {
    return null;
  }
}

function fail(words: string): never {
  throw new SamlFailure('metadata', words);
}

export interface OwnMetadata {
  entityId: string;
  callbackUrl: string;
  /** Base64. */
  certificate: string;
}

export function ownMetadata({ entityId, callbackUrl, certificate }: OwnMetadata): string {
  const key = (use: string) =>
    `<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="${names.signature}"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${names.metadata}" entityID="${escapeXml(entityId)}">
<md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}">
${key('signing')}
${key('encryption')}
<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
<md:AssertionConsumerService Binding="${postBinding}" Location="${escapeXml(callbackUrl)}" index="0" isDefault="true"/>
</md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

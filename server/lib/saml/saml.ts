// A SAML 2.0 service provider: HTTP-Redirect to the identity provider, HTTP-POST back. The library is loaded at the first
// use. No single log-out.
import type { SAML } from '@node-saml/node-saml';
import { checkDecrypted, checkResponse, type Expected, readAssertion, type SamlAnswer } from './checks.ts';
import type { IdentityProvider } from './metadata.ts';
import type { OwnKey } from './own-certificate.ts';
import { SamlFailure } from './xml.ts';

export interface SamlClient {
  provider: IdentityProvider;
  /** Our entity id. */
  entityId: string;
  callbackUrl: string;
  /** Requested authentication contexts; empty for none. */
  authnContexts: readonly string[];
  /** Asks for a lasting name; false where an attribute names the person. */
  wantsPersistentName: boolean;
  own: OwnKey;
}

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

async function libraryFor(client: SamlClient, requestId: string): Promise<SAML> {
  const library = await import('@node-saml/node-saml');
  const { provider, own, authnContexts } = client;
  return new library.SAML({
    entryPoint: provider.url,
    callbackUrl: client.callbackUrl,
    issuer: client.entityId,
    idpIssuer: provider.entityId,
    idpCert: provider.certificates,
    audience: client.entityId,
    identifierFormat: client.wantsPersistentName ? persistent : null,
    disableRequestedAuthnContext: authnContexts.length === 0,
    authnContext: [...authnContexts],
    decryptionPvk: own.keyPem,
    ...(provider.wantsSignedRequests ? { privateKey: own.keyPem } : {}),
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    // A signature on the answer or on the assertion: one of them must cover it.
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    // Times and requests are checked by checks.ts, with the tolerance for clocks.
    acceptedClockSkewMs: -1,
    validateInResponseTo: library.ValidateInResponseTo.never,
    generateUniqueId: () => requestId,
  });
}

/** Address of the identity provider's sign-in page. `requestId`: begins with a letter or `_`. */
export async function beginSaml(client: SamlClient, requestId: string): Promise<string> {
  const library = await libraryFor(client, requestId);
  return library.getAuthorizeUrlAsync('', undefined, {});
}

async function decrypted(assertion: string, { own }: SamlClient): Promise<string> {
  const { decryptXml } = await import('@node-saml/node-saml/lib/xml.js');
  return decryptXml(assertion, own.keyPem).catch((error: Error) => {
    throw new SamlFailure('answer', `the assertion can't be decrypted: ${error.message}`);
  });
}

/** `response`: the field SAMLResponse. Throws a SamlFailure in words. */
export async function finishSaml(client: SamlClient, response: string, requestId: string | null): Promise<SamlAnswer> {
  const expected: Expected = {
    issuer: client.provider.entityId,
    audience: client.entityId,
    recipient: client.callbackUrl,
    requestId,
  };
  const xml = Buffer.from(response, 'base64').toString('utf8');
  const encrypted = await checkResponse(xml, expected);
  if (encrypted !== null) await checkDecrypted(await decrypted(encrypted, client));
  const library = await libraryFor(client, requestId ?? '_none');
  const { profile } = await library.validatePostResponseAsync({ SAMLResponse: response }).catch((error: Error) => {
    const step =
      error.name === 'SamlStatusError' || /SAML provider returned/.test(error.message) ? 'refused' : 'signature';
    throw new SamlFailure(step, error.message);
  });
  const covered = profile?.getAssertionXml?.();
  if (covered === undefined) throw new SamlFailure('signature', 'no signature covers the assertion');
  return readAssertion(covered, expected, Date.now());
}

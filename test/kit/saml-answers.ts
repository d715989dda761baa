// Answers of an identity provider, signed by the test: valid ones, and those of an attacker who has a valid one.
import { constants, createCipheriv, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { createOwnKey, type OwnKey } from '#server/lib/saml/own-certificate.ts';

const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export interface TestProvider extends OwnKey {
  entityId: string;
}

export async function createTestProvider(): Promise<TestProvider> {
  return { entityId: 'https://id.example/saml', ...(await createOwnKey('id.example')) };
}

export function metadataOf(entityId: string, certificates: readonly string[]): string {
  const keys = certificates.map(
    (certificate) =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  );
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://id.example/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>`;
}

export interface AssertionFields {
  id: string;
  issuer: string;
  subject: string;
  format: string;
  email: string;
  audience: string;
  recipient: string;
  /** Empty for none. */
  requestId: string;
  notBefore: number;
  notOnOrAfter: number;
  /** Null leaves the attribute out. */
  groups: readonly string[] | null;
  /** Further attributes. */
  attributes: Readonly<Record<string, readonly string[]>>;
  /** Authentication context. */
  context: string;
}

export const persistentFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const newId = () => `_${randomBytes(16).toString('hex')}`;
const inResponseTo = (id: string) => (id === '' ? '' : ` InResponseTo="${id}"`);
const instant = (at: number) => new Date(at).toISOString();

export function assertionOf(given: Partial<AssertionFields>): string {
  const now = Date.now();
  const fields: AssertionFields = {
    id: newId(),
    issuer: 'https://id.example/saml',
    subject: 'subject-1',
    format: persistentFormat,
    email: 'ann@example.com',
    audience: '',
    recipient: '',
    requestId: '',
    notBefore: now - 30_000,
    notOnOrAfter: now + 300_000,
    groups: null,
    attributes: {},
    context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
    ...given,
  };
  const { id, issuer, subject, format, email, audience, recipient, groups } = fields;
  const times = `NotBefore="${instant(fields.notBefore)}" NotOnOrAfter="${instant(fields.notOnOrAfter)}"`;
  const attribute = (name: string, values: readonly string[]) =>
    `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${instant(now)}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${format}">${subject}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${recipient}" NotOnOrAfter="${instant(fields.notOnOrAfter)}"${inResponseTo(fields.requestId)}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions ${times}><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${instant(now)}"><saml:AuthnContext><saml:AuthnContextClassRef>${fields.context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attribute('mail', [email])}${groups === null ? '' : attribute('groups', groups)}${Object.entries(
    fields.attributes,
  )
    .map(([name, values]) => attribute(name, values))
    .join('')}</saml:AttributeStatement></saml:Assertion>`;
}

export function responseOf(
  content: string,
  given: { requestId?: string; destination?: string; id?: string } = {},
): string {
  const { requestId = '', destination, id = newId() } = given;
  const to = destination === undefined ? '' : ` Destination="${destination}"`;
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${instant(Date.now())}"${inResponseTo(requestId)}${to}><saml:Issuer>https://id.example/saml</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${content}</samlp:Response>`;
}

/** Signs the root element of a document; `algorithm`: its last part. */
export function signed(
  xml: string,
  { keyPem }: Pick<OwnKey, 'keyPem'>,
  algorithm: 'sha256' | 'sha1' = 'sha256',
): string {
  const isOld = algorithm === 'sha1';
  const signature = new SignedXml({
    privateKey: keyPem,
    canonicalizationAlgorithm: exclusive,
    signatureAlgorithm: isOld
      ? 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
      : 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  });
  signature.addReference({
    xpath: '/*',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
    digestAlgorithm: isOld ? 'http://www.w3.org/2000/09/xmldsig#sha1' : 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  signature.computeSignature(xml, { location: { reference: '/*/*[local-name(.)="Issuer"]', action: 'after' } });
  return signature.getSignedXml();
}

const signaturePattern = /<Signature[\s\S]*<\/Signature>/;

/** The parts from which an attacker builds: the signature of an element, and the element without it. */
function partsOf(xml: string): { signature: string; bare: string } {
  return { signature: signaturePattern.exec(xml)![0], bare: xml.replace(signaturePattern, '') };
}

const inside = (xml: string, added: string) => xml.replace(/<\/saml:Issuer>/, `</saml:Issuer>${added}`);
const atEnd = (xml: string, added: string) => xml.replace(/<\/(saml|samlp):(Assertion|Response)>$/, `${added}$&`);
const intoSignature = (signature: string, added: string) =>
  signature.replace('</Signature>', `<Object>${added}</Object></Signature>`);

export interface Wrapped {
  /** An answer whose signature covers the whole. */
  signedResponse: string;
  /** An answer whose assertion is signed, and that assertion. */
  signedAssertion: string;
  wrap(content: string): string;
  /** Assertion of the attacker, and an answer that contains it. */
  evil: string;
}

/** The eight forms of "On Breaking SAML: Be Whoever You Want to Be". */
export function wrappings({ signedResponse, signedAssertion, wrap, evil }: Wrapped): Record<string, string> {
  const response = partsOf(signedResponse);
  const assertion = partsOf(signedAssertion);
  const id = /ID="([^"]*)"/.exec(signedAssertion)![1]!;
  const sameId = evil.replace(/ID="[^"]*"/, `ID="${id}"`);
  return {
    'the original answer inside the signature of another answer': inside(
      wrap(evil),
      intoSignature(response.signature, response.bare),
    ),
    'the original answer beside the signature of another answer': inside(
      wrap(evil),
      response.bare + response.signature,
    ),
    'another assertion before the original one': wrap(evil + signedAssertion),
    'the original assertion inside another one': wrap(atEnd(evil, signedAssertion)),
    'another assertion with the original signature, before the original one': wrap(
      inside(evil, assertion.signature) + assertion.bare,
    ),
    'another assertion whose signature contains the original one': wrap(
      inside(evil, intoSignature(assertion.signature, assertion.bare)),
    ),
    'another assertion with the same ID in an extension': wrap(
      `<samlp:Extensions>${sameId}</samlp:Extensions>${signedAssertion}`,
    ),
    'the original assertion in an object of the signature that another one holds': wrap(
      inside(evil, `${intoSignature(assertion.signature, assertion.bare)}`).replace('<Object>', '<Object Id="o">'),
    ),
  };
}

/** An encrypted assertion, as anyone can make who has the service's public certificate (Base64). */
export function encryptedFor(certificate: string, assertion: string): string {
  const key = randomBytes(32);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const content = Buffer.concat([iv, cipher.update(assertion), cipher.final(), cipher.getAuthTag()]).toString('base64');
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  const wrapped = publicEncrypt({ key: publicKey, ...padding }, key).toString('base64');
  const enc = 'http://www.w3.org/2001/04/xmlenc#';
  const dsig = 'http://www.w3.org/2000/09/xmldsig#';
  const value = (text: string) => `<e:CipherData><e:CipherValue>${text}</e:CipherValue></e:CipherData>`;
  return `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><e:EncryptedData xmlns:e="${enc}" Type="${enc}Element"><e:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/><KeyInfo xmlns="${dsig}"><e:EncryptedKey><e:EncryptionMethod Algorithm="${enc}rsa-oaep-mgf1p"><DigestMethod Algorithm="${dsig}sha1"/></e:EncryptionMethod>${value(wrapped)}</e:EncryptedKey></KeyInfo>${value(content)}</e:EncryptedData></saml:EncryptedAssertion>`;
}

// Our own checks of an answer, in addition to those of the library: exactly one assertion, known algorithms, and who, for
// whom, where and when, read from nothing but the bytes that a verified signature covers.
import {
  attribute,
  childrenOf,
  countAnywhere,
  elementsAnywhere,
  instantIn,
  names,
  parseXml,
  SamlFailure,
  textIn,
} from './xml.ts';

/** What an answer must be about. */
export interface Expected {
  /** Entity id of the identity provider. */
  issuer: string;
  /** Our entity id. */
  audience: string;
  recipient: string;
  /** Id of our request; null: the identity provider began the sign-in. */
  requestId: string | null;
}

export interface SamlAnswer {
  /** Unique for each sign-in. */
  assertionId: string;
  /** The assertion is refused from then on. */
  endsAt: number;
  nameId: string;
  nameIdFormat: string;
  /** Values by name of the attribute; an attribute without values is an empty list. */
  attributes: Record<string, string[]>;
  authnContexts: string[];
}

export const clockSkewMs = 5 * 60_000;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

const dsig = 'http://www.w3.org/2000/09/xmldsig#';
const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const enc = 'http://www.w3.org/2001/04/xmlenc#';
const enc11 = 'http://www.w3.org/2009/xmlenc11#';
const algorithms = new Set([
  `${dsig}enveloped-signature`,
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  ...['rsa-sha256', 'rsa-sha384', 'rsa-sha512', 'sha384'].map((name) => more + name),
  ...['sha256', 'sha512', 'aes128-cbc', 'aes256-cbc', 'rsa-oaep-mgf1p'].map((name) => enc + name),
  ...['aes128-gcm', 'aes256-gcm', 'rsa-oaep', 'mgf1sha1', 'mgf1sha256'].map((name) => enc11 + name),
]);

/** Before any signature is checked. Throws a SamlFailure in words. Returns the encrypted assertion; null for none. */
export async function checkResponse(xml: string, expected: Expected): Promise<string | null> {
  const root = await parseXml(xml).catch((error: Error) => fail(error.message));
  if (root.localName !== 'Response' || root.namespaceURI !== names.protocol) return fail('the answer is no Response');
  const assertions = countAnywhere(root, 'Assertion') + countAnywhere(root, 'EncryptedAssertion');
  if (assertions > 1) return fail(`the answer has ${assertions} assertions, and must have one`);
  if (countAnywhere(root, 'Response') !== 1) return fail('the answer contains another Response');
  for (const element of elementsAnywhere(root)) checkAlgorithm(element);
  checkUnique(root);
  const destination = attribute(root, 'Destination');
  if (destination !== '' && destination !== expected.recipient)
    return fail(`the answer is for ${destination} (Destination)`);
  checkRequest(attribute(root, 'InResponseTo'), expected);
  const [issuer] = childrenOf(root, names.assertion, 'Issuer');
  if (issuer !== undefined && textIn(issuer) !== expected.issuer) return fail(`the issuer is ${textIn(issuer)}`);
  // Of any namespace, as the library reads it.
  return (
    elementsAnywhere(root)
      .find(({ localName }) => localName === 'EncryptedAssertion')
      ?.toString() ?? null
  );
}

/** What a signature that was encrypted uses. */
export async function checkDecrypted(xml: string): Promise<void> {
  const root = await parseXml(xml).catch((error: Error) => fail(error.message));
  for (const element of elementsAnywhere(root)) checkAlgorithm(element);
  checkUnique(root);
}

function checkAlgorithm(element: Element): void {
  const algorithm = attribute(element, 'Algorithm');
  const isOfPadding = (element.parentNode as Element | null)?.localName === 'EncryptionMethod';
  if (algorithm === '' || algorithms.has(algorithm) || (isOfPadding && algorithm === `${dsig}sha1`)) return;
  fail(`the algorithm ${algorithm} is not accepted`);
}

/** Signatures refer to elements by their id. */
function checkUnique(root: Element): void {
  const ids = elementsAnywhere(root).flatMap((element) => attribute(element, 'ID') || []);
  if (new Set(ids).size !== ids.length) fail('two elements of the answer have the same ID');
}

function checkRequest(requestId: string, expected: Expected): void {
  if (requestId === (expected.requestId ?? '')) return;
  throw new SamlFailure(
    'not_requested',
    requestId === '' ? 'the answer belongs to no request' : 'the answer belongs to another request (InResponseTo)',
  );
}

/** `xml`: what the verified signature covers. Throws a SamlFailure in words. */
export async function readAssertion(xml: string, expected: Expected, now: number): Promise<SamlAnswer> {
  const root = await parseXml(xml).catch((error: Error) => fail(error.message));
  if (root.localName !== 'Assertion' || root.namespaceURI !== names.assertion || countAnywhere(root, 'Assertion') !== 1)
    return fail('the signature does not cover exactly one assertion');
  const part = (name: string) => childrenOf(root, names.assertion, name);
  const [issuer] = part('Issuer');
  if (textIn(issuer) !== expected.issuer) return fail(`the issuer is ${textIn(issuer)}`);
  const [subject, ...otherSubjects] = part('Subject');
  if (subject === undefined || otherSubjects.length > 0) return fail('the assertion does not have exactly one Subject');
  const endsAt = checkConfirmation(subject, expected, now);
  checkConditions(part('Conditions'), expected, now);
  const statements = part('AuthnStatement');
  if (statements.length === 0) return fail('the assertion does not say that the person signed in (AuthnStatement)');
  const assertionId = attribute(root, 'ID');
  if (assertionId === '') return fail('the assertion has no ID');
  const [nameId] = childrenOf(subject, names.assertion, 'NameID');
  return {
    assertionId,
    endsAt,
    nameId: textIn(nameId),
    nameIdFormat: nameId === undefined ? '' : attribute(nameId, 'Format'),
    attributes: attributesIn(part('AttributeStatement')),
    authnContexts: statements
      .flatMap((statement) => childrenOf(statement, names.assertion, 'AuthnContext'))
      .flatMap((context) => childrenOf(context, names.assertion, 'AuthnContextClassRef'))
      .map(textIn),
  };
}

/** At least one bearer confirmation must hold. Returns its end. */
function checkConfirmation(subject: Element, expected: Expected, now: number): number {
  let failure: SamlFailure | null = null;
  for (const confirmation of childrenOf(subject, names.assertion, 'SubjectConfirmation')) {
    if (attribute(confirmation, 'Method') !== bearer) continue;
    const [data] = childrenOf(confirmation, names.assertion, 'SubjectConfirmationData');
    if (data === undefined) continue;
    try {
      const recipient = attribute(data, 'Recipient');
      if (recipient !== expected.recipient) fail(`the assertion is for ${recipient || 'nobody'} (Recipient)`);
      checkRequest(attribute(data, 'InResponseTo'), expected);
      const endsAt = instantIn(data, 'NotOnOrAfter');
      if (endsAt === null) return fail('the assertion never ends (NotOnOrAfter)');
      checkTimes(data, now);
      return endsAt + clockSkewMs;
    } catch (error) {
      failure = error as SamlFailure;
    }
  }
  throw failure ?? new SamlFailure('answer', 'the assertion has no bearer confirmation with data');
}

function checkConditions(all: Element[], { audience }: Expected, now: number): void {
  const [conditions, ...others] = all;
  if (conditions === undefined || others.length > 0)
    throw new SamlFailure('answer', 'the assertion does not have exactly one Conditions');
  checkTimes(conditions, now);
  const restrictions = childrenOf(conditions, names.assertion, 'AudienceRestriction');
  if (restrictions.length === 0) fail('the assertion does not say for whom it is (Audience)');
  for (const restriction of restrictions) {
    const audiences = childrenOf(restriction, names.assertion, 'Audience').map(textIn);
    if (!audiences.includes(audience)) fail(`the assertion is for ${audiences.join(', ') || 'nobody'} (Audience)`);
  }
}

function checkTimes(element: Element, now: number): void {
  const [from, until] = [instantIn(element, 'NotBefore'), instantIn(element, 'NotOnOrAfter')];
  if (from !== null && !(from <= now + clockSkewMs)) fail('the assertion is not valid yet (NotBefore)');
  if (until !== null && !(until > now - clockSkewMs)) fail('the assertion is not valid any more (NotOnOrAfter)');
}

function attributesIn(statements: Element[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const statement of statements)
    for (const element of childrenOf(statement, names.assertion, 'Attribute')) {
      const name = attribute(element, 'Name');
      const values = childrenOf(element, names.assertion, 'AttributeValue').map(textIn);
      const known = Object.hasOwn(found, name) ? found[name]! : [];
      Object.defineProperty(found, name, { value: [...known, ...values], enumerable: true, configurable: true });
    }
  return found;
}

function fail(words: string): never {
  throw new SamlFailure('answer', words);
}

// One person's sign-in through each kind of sign-in service, in the words of that kind.
import { inflateRawSync } from 'node:zlib';
import { listSignInAttempts } from '#server/db/identity/sign-in-attempts.ts';
import type { TestApp } from './app.ts';
import type { Browser, PageReply } from './browser.ts';
import { type OpenIdProvider, openIdClient } from './openid-provider.ts';
import { assertionOf, metadataOf, responseOf, signed, type TestProvider } from './saml-answers.ts';
import { groupDn, personDn, type Slapd, slapdAdmin, slapdBase, slapdPassword, slapdPerson } from './servers/slapd.ts';

export interface DirectoryPerson {
  /** Letters and digits; also the login name in LDAP. */
  subject: string;
  email: string;
  /** Null: the service does not say. */
  groups: readonly string[] | null;
  hasTooManyGroups?: boolean;
  hasSecondStep?: boolean;
}

export interface Kind {
  kind: 'oidc' | 'saml' | 'ldap';
  /** Its set-up, except for the rules. */
  fields: Record<string, string>;
  signIn(browser: Browser, person: DirectoryPerson): Promise<PageReply>;
}

/** `open`, `prove` or the code of the refusal. */
export async function outcomeOf(app: TestApp, { kind }: Pick<Kind, 'kind'>): Promise<string> {
  const [last] = await listSignInAttempts(app.app.ctx.db.read, kind);
  if (last === undefined) return 'none';
  return last.outcome === 'signed_in' ? 'open' : last.outcome === 'proof_needed' ? 'prove' : last.reason;
}

export function openIdKind(provider: OpenIdProvider): Kind {
  return {
    kind: 'oidc',
    fields: { issuer: provider.issuer, client_id: openIdClient.client_id, client_secret: openIdClient.client_secret },
    async signIn(browser, { subject, email, groups, hasTooManyGroups, hasSecondStep }) {
      provider.claims = {
        ...{ sub: subject, email, email_verified: true, name: subject },
        ...(groups === null ? {} : { groups }),
        ...(hasTooManyGroups === true ? { _claim_names: { groups: 'src1' } } : {}),
        amr: hasSecondStep === true ? ['pwd', 'mfa'] : ['pwd'],
      };
      const { location } = await browser.get('/sign-in/oidc/oidc');
      const answer = await fetch(location!, { redirect: 'manual' });
      const { pathname, search } = new URL(answer.headers.get('location')!);
      return browser.get(`${pathname}${search}`);
    },
  };
}

export function samlKind(app: TestApp, provider: TestProvider): Kind {
  return {
    kind: 'saml',
    fields: { metadata: metadataOf(provider.entityId, [provider.certificate]) },
    async signIn(browser, { subject, email, groups, hasTooManyGroups, hasSecondStep }) {
      const { location } = await browser.get('/saml/init');
      const asked = Buffer.from(new URL(location!).searchParams.get('SAMLRequest')!, 'base64');
      const requestId = /\bID="([^"]*)"/.exec(inflateRawSync(asked).toString())![1]!;
      const { baseUrl } = app.app.ctx.settings.surroundings;
      const link = 'http://schemas.microsoft.com/claims/groups.link';
      const assertion = assertionOf({
        ...{ requestId, subject, email, groups },
        ...{ audience: `${baseUrl}/saml/metadata.xml`, recipient: `${baseUrl}/saml/consume` },
        ...(hasTooManyGroups === true ? { attributes: { [link]: ['https://graph.example'] } } : {}),
        ...(hasSecondStep === true ? { context: 'https://refeds.org/profile/mfa' } : {}),
      });
      const xml = responseOf(signed(assertion, provider), { requestId });
      return browser.post(
        '/saml/consume',
        { SAMLResponse: Buffer.from(xml).toString('base64') },
        { origin: 'https://id.example', 'sec-fetch-site': 'cross-site' },
      );
    },
  };
}

/** `groups` exist in the directory, each with the searching account as a member. */
export function ldapKind(slapd: Slapd): Kind {
  const known = new Map<string, readonly string[]>();
  const membership = (name: string, group: string, way: 'add' | 'delete') =>
    slapd.change(`dn: ${groupDn(group)}\nchangetype: modify\n${way}: member\nmember: ${personDn(name)}\n`);
  return {
    kind: 'ldap',
    fields: { url: slapd.url, bind_dn: slapdAdmin, bind_password: slapdPassword, base_dn: slapdBase, sync: '1d' },
    async signIn(browser, { subject, email, groups }) {
      const password = `${subject} secret`;
      const before = known.get(subject);
      if (before === undefined)
        slapd.change(
          slapdPerson({ uid: subject, mail: email, password })
            .replace(/^(dn.*)$/m, '$1\nchangetype: add')
            .trimEnd(),
        );
      else slapd.change(`dn: ${personDn(subject)}\nchangetype: modify\nreplace: mail\nmail: ${email}\n`);
      for (const group of before ?? []) membership(subject, group, 'delete');
      for (const group of groups ?? []) membership(subject, group, 'add');
      known.set(subject, groups ?? []);
      return browser.post('/sign-in', { email: subject, password });
    },
  };
}

// The caller's own account, the read-back of keys, and signing in for a key.
import { type AccountBody, account as accountSchema } from '#contract/account.ts';
import { type Account, getAccount } from '../../actions/account/account.ts';
import { readBackApiKey } from '../../actions/api-keys/api-keys.ts';
import { logInForKey } from '../../actions/sessions/sign-in.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { isoInstant } from '../../lib/dates.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { sendJsonText } from '../transport/answers.ts';
import { bodyWithSettings, type SettingOf } from './settings.ts';

/** The version of the API this server speaks, for clients that ask (docs/adr/0006). */
const apiVersion = { text: '3.7', number: 30_700 };

export function serveAccount(serve: Serve): void {
  serve('getAccount', async ({ ctx, caller, response, requestId }) => {
    const headers = { 'upload-chunk-size': String(ctx.settings.surroundings.chunkSizeBytes) };
    sendJsonText({ response, requestId, headers }, 200, accountText(await getAccount(ctx, caller)));
    return alreadySent;
  });

  serve('getAccountByPost', async ({ ctx, caller }) => ({ user: accountBody(await getAccount(ctx, caller)) }));

  serve('getApiKey', async ({ ctx, caller, query }) => {
    if (query.email === undefined || query.email === '')
      throw invalid('user.no_email', 'The parameter "email" is missing.', 'email');
    return { user: { api_key: await readBackApiKey(ctx, caller, query.email) } };
  });

  serve('login', async ({ deps, ctx, caller, body }) => {
    const key = logInForKey(ctx, caller, body.user.email, body.user.password);
    key.catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'login.wrong') deps.meters.authFailed('password');
    });
    return { user: { api_key: await key } };
  });
}

// The answer as text, kept for as long as what it is made of stays the same: this is the call clients make most, and its
// answer changes rarely: 74 µs of processor time, and 123 without this. The database returns the same facts until
// something is committed (db/engine/remembered.ts).
const texts = new WeakMap<Account['facts'], { account: Account; text: string }>();

export function accountText(account: Account): string {
  const known = texts.get(account.facts);
  if (known !== undefined && isSame(known.account, account)) return known.text;
  const text = JSON.stringify({ user: accountBody(account) });
  texts.set(account.facts, { account, text });
  return text;
}

/** Facts and caller were read one after the other, and settings come by another way: each may be newer. */
function isSame(a: Account, b: Account): boolean {
  return (
    a.organisationName === b.organisationName &&
    a.caller.policy === b.caller.policy &&
    a.caller.email === b.caller.email &&
    a.caller.name === b.caller.name &&
    a.caller.groupId === b.caller.groupId &&
    a.caller.groupName === b.caller.groupName &&
    a.caller.isLocal === b.caller.isLocal &&
    a.caller.apiKeyExpiresAt === b.caller.apiKeyExpiresAt
  );
}

/** Fields that are not simply a setting of the group under its own name; a new one does not compile until it is here. */
type OwnFields = Omit<AccountBody, SettingOf<AccountBody>>;

const bodyOf = bodyWithSettings(accountSchema);

/** Every field the contract names, in its order: what is said here, or else the group's setting of that name. */
export function accountBody(account: Account): AccountBody {
  const { caller, facts, organisationName, filedrops } = account;
  const { policy } = caller;
  const own: OwnFields = {
    user_id: caller.userId,
    email: caller.email,
    name: caller.name,
    group: caller.groupName,
    group_id: caller.groupId,
    is_local: caller.isLocal,
    recipient_aliases: facts.recipientAliases.join(','),
    sender_aliases: facts.senderAliases.join(','),
    default_sender_alias: facts.defaultSenderAlias,
    api_key_expires_at: caller.apiKeyExpiresAt === null ? '' : isoInstant(caller.apiKeyExpiresAt),
    version: apiVersion.text,
    version_numeric: apiVersion.number,
    message_recipient_domains: [...policy.message_recipient_domains],
    filedrop_url: filedrops.random,
    filedrop_email_url: filedrops.email,
    client_encryption_key: facts.clientKey,
  };
  const titles = {
    menubar_title: policy.menubar_title === '' ? organisationName : policy.menubar_title,
    page_title: policy.page_title === '' ? organisationName : policy.page_title,
  };
  return bodyOf(policy, { ...own, ...titles });
}

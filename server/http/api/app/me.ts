// Who is signed in, for how long, and what the web app must know before it draws anything.
import { type MeBody, mePolicy } from '#contract/app/me.ts';
import { type Account, getAccount } from '../../../actions/account/account.ts';
import { getPreferences } from '../../../actions/account/preferences.ts';
import { remainingOf } from '../../../actions/sessions/identities.ts';
import { csrfToken } from '../../../actions/sessions/sessions.ts';
import { maxBodyBytes, maxRecipients, maxSubjectBytes } from '../../../domain/messages.ts';
import { permittedLevels } from '../../../domain/policy.ts';
import type { Preferences } from '../../../domain/preferences.ts';
import { holds, isAdministrator, isSystemAdministrator } from '../../../domain/roles.ts';
import { productName } from '../../../domain/settings.ts';
import { dateOf } from '../../../lib/dates.ts';
import type { HttpDeps } from '../../deps.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sessionOf } from '../../identity/session-calls.ts';
import type { Live } from '../../live/live.ts';
import { bodyWithSettings } from '../settings.ts';

export function serveMe(serve: Serve, live: Live): void {
  serve('followEvents', async (call) => {
    await live.follow(call);
    return alreadySent;
  });

  serve('getMe', async ({ deps, ctx, caller, raw }) => {
    const session = caller.apiKeyId === null ? sessionOf(deps, raw) : undefined;
    const token = session === undefined ? null : csrfToken(ctx, session);
    const preferences = await getPreferences(ctx, caller);
    return { me: meBody(deps, await getAccount(ctx, caller), preferences, token) };
  });

  serve('getSession', async ({ deps, ctx, caller, raw }) => {
    const token = caller.apiKeyId === null ? sessionOf(deps, raw) : undefined;
    const remaining = token === undefined ? null : await remainingOf(ctx, token);
    return {
      session: remaining === null ? null : { ends_in: Math.floor(remaining.ms / 1000), can_stay: remaining.canStay },
    };
  });
}

function meBody(deps: HttpDeps, account: Account, preferences: Preferences, token: string | null): MeBody {
  const { caller, facts, filedrops } = account;
  const { surroundings } = deps.ctx.settings;
  return {
    id: caller.userId,
    email: caller.email,
    name: caller.name,
    role: caller.role,
    is_local: caller.isLocal,
    csrf_token: token,
    group: { id: caller.groupId, name: caller.groupName },
    policy: policyBody(caller),
    organisation_name: account.organisationName,
    product_name: productName,
    version: surroundings.version,
    language: surroundings.locale,
    time_zone: surroundings.timeZone,
    today: dateOf(deps.ctx.clock.now(), surroundings.timeZone),
    can_send_mail: deps.canSendMail,
    limits: {
      piece_size: surroundings.chunkSizeBytes,
      max_piece_size: surroundings.maxChunkSizeBytes,
      max_recipients: maxRecipients,
      max_subject_bytes: maxSubjectBytes,
      max_text_bytes: maxBodyBytes,
    },
    addresses: {
      senders: [...new Set([caller.email, ...facts.senderAliases])],
      default_sender: facts.defaultSenderAlias === '' ? caller.email : facts.defaultSenderAlias,
      recipients: [...new Set([caller.email, ...facts.recipientAliases])],
      unconfirmed: facts.unprovenAddresses,
    },
    drop_page: { url: filedrops.random, email_url: filedrops.email },
    preferences: {
      time_zone: preferences.timeZone,
      theme: preferences.theme,
      shortcut_keys: preferences.hasShortcutKeys,
    },
    features: {
      messages: caller.policy.can_use_messages,
      links: caller.policy.can_use_filelinks,
      requests: caller.policy.can_use_file_requests,
      drop_page: filedrops.random !== '' || filedrops.email !== '',
      console: holds(caller, 'console.read'),
      administration: isAdministrator(caller),
      system_administration: isSystemAdministrator(caller),
    },
  };
}

const settingsOf = bodyWithSettings(mePolicy);

function policyBody({ policy }: Account['caller']): MeBody['policy'] {
  return settingsOf(policy, {
    message_authorizations: permittedLevels(policy),
    message_recipient_domains: [...policy.message_recipient_domains],
  });
}

import { type Account, getAccount } from '../../../actions/account/account.ts';
import { getPreferences } from '../../../actions/account/preferences.ts';
import { remainingOf } from '../../../actions/sessions/identities.ts';
import { csrfToken as tokenOf } from '../../../actions/sessions/sessions.ts';
import { maxBodyBytes, maxRecipients, maxSubjectBytes } from '../../../domain/messages.ts';
import { permittedLevels } from '../../../domain/policy.ts';
import { holds, isAdministrator, isSystemAdministrator } from '../../../domain/roles.ts';
import { productName } from '../../../domain/settings.ts';
import { dateOf } from '../../../lib/dates.ts';
import type { HttpDeps } from '../../deps.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sessionOf } from '../../identity/session-calls.ts';
import type { Live } from '../../live/live.ts';

export function serveMe(serve: Serve, live: Live): void {
  serve('followEvents', async (call) => {
    await live.follow(call);
    return alreadySent;
  });

  serve('getMe', async ({ deps, ctx, caller, raw }) => {
    const session = caller.apiKeyId === null ? sessionOf(deps, raw) : undefined;
    const csrfToken = session === undefined ? null : tokenOf(ctx, session);
    const preferences = await getPreferences(ctx, caller);
    return { me: { ...describe(deps, await getAccount(ctx, caller)), preferences, csrfToken } };
  });

  serve('getSession', async ({ deps, ctx, caller, raw }) => {
    const token = caller.apiKeyId === null ? sessionOf(deps, raw) : undefined;
    return { session: token === undefined ? null : await remainingOf(ctx, token) };
  });
}

function describe(deps: HttpDeps, { caller, facts, filedrops, organisationName }: Account) {
  const { policy, email } = caller;
  const { surroundings } = deps.ctx.settings;
  return {
    ...caller,
    group: { id: caller.groupId, name: caller.groupName },
    policy: {
      ...policy,
      message_authorizations: permittedLevels(policy),
      message_recipient_domains: [...policy.message_recipient_domains],
    },
    organisationName,
    productName,
    ...surroundings,
    today: dateOf(deps.ctx.clock.now(), surroundings.timeZone),
    canSendMail: deps.mail.route.isReal,
    limits: { ...surroundings, maxRecipients, maxSubjectBytes, maxBodyBytes },
    addresses: {
      senders: [...new Set([email, ...facts.senderAliases])],
      defaultSender: facts.defaultSenderAlias === '' ? email : facts.defaultSenderAlias,
      recipients: [...new Set([email, ...facts.recipientAliases])],
      unprovenAddresses: facts.unprovenAddresses,
    },
    filedrops,
    features: {
      messages: policy.can_use_messages,
      links: policy.can_use_filelinks,
      requests: policy.can_use_file_requests,
      dropPage: filedrops.random !== '' || filedrops.email !== '',
      console: holds(caller, 'console.read'),
      administration: isAdministrator(caller),
      systemAdministration: isSystemAdministrator(caller),
    },
  };
}

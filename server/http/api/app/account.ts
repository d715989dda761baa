// The caller's own settings, and what their group permits.
import { shippedLanguages } from '#language/locale.ts';
import { askAddressCode, confirmAddress } from '../../../actions/account/addresses.ts';
import { askForAlias } from '../../../actions/account/alias-requests.ts';
import { changeProfile, chooseSender, getProfile, type Profile } from '../../../actions/account/preferences.ts';
import { confirmedRecipientAliases, confirmedSenderAliases, unprovenAddresses } from '../../../domain/addresses.ts';
import type { Serve } from '../../endpoint.ts';
import { rulesOf } from './rules.ts';

export function serveAppAccount(serve: Serve): void {
  serve('getProfile', async ({ ctx, caller }) => ({ profile: withLanguages(await getProfile(ctx, caller)) }));

  serve('changeProfile', async ({ ctx, caller, body }) => ({
    profile: withLanguages(await changeProfile(ctx, caller, body)),
  }));

  serve('getAliases', async ({ ctx, caller }) => ({ aliases: aliasesOf(await getProfile(ctx, caller)) }));

  serve('changeAliases', async ({ ctx, caller, body }) => ({
    aliases: aliasesOf(await chooseSender(ctx, caller, body.defaultSenderAlias)),
  }));

  serve('askForAlias', ({ ctx, caller, body }) => askForAlias(ctx, caller, body));

  serve('askAddressCode', ({ ctx, caller, body }) => askAddressCode(ctx, caller, body.address));

  serve('confirmAddress', async ({ ctx, caller, body }) => {
    await confirmAddress(ctx, caller, body);
    return { aliases: aliasesOf(await getProfile(ctx, caller)) };
  });

  serve('getNotices', async ({ ctx, caller }) => ({ notices: (await getProfile(ctx, caller)).preferences }));

  serve('changeNotices', async ({ ctx, caller, body }) => ({
    notices: (await changeProfile(ctx, caller, body)).preferences,
  }));

  serve('getRules', async ({ ctx, caller }) => {
    const { user } = await getProfile(ctx, caller);
    return { rules: rulesOf(caller, user.storedBytes) };
  });
}

function withLanguages({ user, preferences }: Profile) {
  return { ...user, ...preferences, languages: [...shippedLanguages] };
}

function aliasesOf({ user }: Profile) {
  const { email, defaultSenderAlias } = user;
  const senderAliases = confirmedSenderAliases(user);
  return {
    email,
    senderAliases,
    recipientAliases: confirmedRecipientAliases(user),
    defaultSenderAlias: senderAliases.includes(defaultSenderAlias) ? defaultSenderAlias : email,
    unconfirmed: unprovenAddresses(user),
    mayAsk: user.policy.alias_requests,
  };
}

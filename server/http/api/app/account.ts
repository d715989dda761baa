// The caller's own settings, for the web app, and what their group permits as facts a screen makes sentences of.
import type { AliasesBody, NoticesBody, ProfileBody } from '#contract/app/account.ts';
import { shippedLanguages } from '#language/locale.ts';
import { askAddressCode, confirmAddress } from '../../../actions/account/addresses.ts';
import { askForAlias } from '../../../actions/account/alias-requests.ts';
import { changeProfile, chooseSender, getProfile, type Profile } from '../../../actions/account/preferences.ts';
import { actingRecipientAliases, actingSenderAliases, unprovenAddresses } from '../../../domain/addresses.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { rulesBody } from './rules.ts';

export function serveAppAccount(serve: Serve): void {
  serve('getProfile', async ({ ctx, caller }) => ({ profile: profileBody(await getProfile(ctx, caller)) }));

  serve('changeProfile', async ({ ctx, caller, body }) => ({
    profile: profileBody(
      await changeProfile(ctx, caller, {
        name: body.name,
        language: body.language,
        timeZone: body.time_zone,
        theme: body.theme,
        hasShortcutKeys: body.shortcut_keys,
      }),
    ),
  }));

  serve('getAliases', async ({ ctx, caller }) => ({ aliases: aliasesBody(await getProfile(ctx, caller)) }));

  serve('changeAliases', async ({ ctx, caller, body }) => ({
    aliases: aliasesBody(await chooseSender(ctx, caller, body.default_sender_alias)),
  }));

  serve('askForAlias', ({ ctx, caller, body }) =>
    askForAlias(ctx, caller, { address: body.address, reason: body.reason ?? '' }),
  );

  serve('askAddressCode', ({ ctx, caller, body }) => askAddressCode(ctx, caller, body.address));

  serve('confirmAddress', async ({ ctx, caller, body }) => {
    await confirmAddress(ctx, caller, body);
    return { aliases: aliasesBody(await getProfile(ctx, caller)) };
  });

  serve('getNotices', async ({ ctx, caller }) => ({ notices: noticesBody(await getProfile(ctx, caller)) }));

  serve('changeNotices', async ({ ctx, caller, body }) => ({
    notices: noticesBody(
      await changeProfile(ctx, caller, {
        receipts: body.receipts,
        hasReminders: body.reminders,
        hasRequestNotices: body.requests,
      }),
    ),
  }));

  serve('getRules', async ({ ctx, caller }) => {
    const { user } = await getProfile(ctx, caller);
    return { rules: rulesBody(caller, user.storedBytes) };
  });
}

function profileBody({ user, preferences }: Profile): ProfileBody {
  return {
    user_id: user.id,
    email: user.email,
    name: user.name,
    group: user.groupName,
    language: user.language ?? '',
    time_zone: preferences.timeZone,
    theme: preferences.theme,
    shortcut_keys: preferences.hasShortcutKeys,
    languages: [...shippedLanguages],
    created_at: isoInstant(user.createdAt),
  };
}

function aliasesBody({ user }: Profile): AliasesBody {
  const senderAliases = actingSenderAliases(user);
  return {
    email: user.email,
    sender_aliases: senderAliases,
    recipient_aliases: actingRecipientAliases(user),
    default_sender_alias: senderAliases.includes(user.defaultSenderAlias) ? user.defaultSenderAlias : user.email,
    unconfirmed: unprovenAddresses(user),
    may_ask: user.policy.alias_requests,
  };
}

function noticesBody({ preferences }: Profile): NoticesBody {
  return {
    receipts: preferences.receipts,
    reminders: preferences.hasReminders,
    requests: preferences.hasRequestNotices,
  };
}

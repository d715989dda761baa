import type { GroupChange } from '../../../actions/groups/policies.ts';
import { explainMessage, findGroupOfAddress } from '../../../actions/policy/explain.ts';
import { previewGroup } from '../../../actions/policy/preview.ts';
import { replayGroup } from '../../../actions/policy/replay.ts';
import { listGroupSettings } from '../../../domain/policy.ts';
import type { Serve } from '../../endpoint.ts';
import { rulesOf } from '../app/rules.ts';
import { plannedFilesOf } from '../message-input.ts';
import { settingsIn } from './groups.ts';

export function servePolicy(serve: Serve): void {
  serve('explainPolicy', async ({ ctx, caller, body }) => {
    const { user, message } = body.explain;
    const input = { ...message, files: plannedFilesOf(message.attachments) };
    return { dryRun: { rules: await explainMessage(ctx, caller, user, input) } };
  });

  serve('replayGroup', async ({ ctx, caller, params, body }) => {
    const { group, days } = body.replay;
    return { replay: await replayGroup(ctx, caller, params.id, { ...changeIn(group), days }) };
  });

  serve('previewGroup', async ({ ctx, caller, params, body }) => {
    const group = await previewGroup(ctx, caller, params.id, changeIn(body.preview.group));
    return { rules: rulesOf({ groupName: group.name, ...group }, 0) };
  });

  serve('listPolicySettings', async () => ({ settings: listSettings() }));

  serve('whichGroup', async ({ ctx, caller, query }) => ({
    which: await findGroupOfAddress(ctx, caller, query.email ?? ''),
  }));
}

/** A script may send the whole group. */
function changeIn(group: Record<string, unknown>): GroupChange {
  const {
    name: _,
    role: __,
    is_sysadmin: ___,
    is_admin: ____,
    match_domains: _____,
    match_groups: _______,
    ...rest
  } = group;
  const { version: ______, is_local: isLocal, ...settings } = rest;
  return { changes: settingsIn(settings), isLocal: typeof isLocal === 'boolean' ? isLocal : undefined };
}

function listSettings() {
  return listGroupSettings().map(([key, entry]) => ({
    key,
    kind: entry.kind,
    default: entry.default,
    defaultOutside: entry.outside ?? entry.default,
    ...(entry.kind === 'number' ? { min: entry.min, max: entry.max } : {}),
    ...(entry.kind === 'choice' || entry.kind === 'word' ? { choices: [...entry.choices] } : {}),
    ...(entry.kind === 'text' ? { maxLength: entry.maxLength } : {}),
  }));
}

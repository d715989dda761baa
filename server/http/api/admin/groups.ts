import type { endpoints } from '#contract/endpoints.ts';
import {
  changeGroup,
  createGroup,
  deleteGroup,
  type GroupInput,
  getGroup,
  listGroups,
  type ManagedGroup,
} from '../../../actions/groups/groups.ts';
import { listGroupHistory, restoreGroup } from '../../../actions/groups/history.ts';
import { moveGroup } from '../../../actions/groups/order.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Call, Serve } from '../../endpoint.ts';

export function serveGroups(serve: Serve): void {
  serve('listGroups', async ({ ctx, caller }) => ({ groups: (await listGroups(ctx, caller)).map(groupBody) }));
  serve('createGroup', async ({ ctx, caller, body }) => ({
    group: groupBody(await createGroup(ctx, caller, inputOf(body))),
  }));
  serve('getGroup', async ({ ctx, caller, params }) => ({ group: groupBody(await getGroup(ctx, caller, params.id)) }));
  serve('changeGroup', async ({ ctx, caller, params, body }) => ({
    group: groupBody(await changeGroup(ctx, caller, params.id, inputOf(body))),
  }));
  serve('moveGroup', async ({ ctx, caller, params, body }) => {
    await moveGroup(ctx, caller, params.id, body.move.to);
    return { groups: (await listGroups(ctx, caller)).map(groupBody) };
  });
  serve('listGroupHistory', async ({ ctx, caller, params, query }) => {
    const { entries, next } = await listGroupHistory(ctx, caller, params.id, query.after);
    return { history: entries, next: next === null ? null : String(next) };
  });
  serve('restoreGroup', async ({ ctx, caller, params, body }) => ({
    group: groupBody(await restoreGroup(ctx, caller, params.id, body.restore)),
  }));
  serve('deleteGroup', ({ ctx, caller, params }) => deleteGroup(ctx, caller, params.id));
}

/** Fields of the answer that a script may send back unchanged. */
const readOnlyFields = ['id', 'shipped', 'members', 'created_at', 'updated_at'];

export function settingsIn(group: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(group).filter(([key]) => !readOnlyFields.includes(key)));
}

function inputOf({ group }: Call<(typeof endpoints)['createGroup']>['body']): GroupInput {
  const { name, is_local, role, is_sysadmin, is_admin, match_domains: domains, version, ...rest } = group;
  // The vendor's name for the same list.
  const { match_groups, match_ldap_groups, ...policy } = rest;
  const matchGroups = match_groups ?? match_ldap_groups;
  const rights = { role, isSystemAdministrator: is_sysadmin, isAdministrator: is_admin };
  return { name, isLocal: is_local, rights, domains, matchGroups, version, policy };
}

function groupBody(group: ManagedGroup) {
  return {
    id: group.id,
    name: group.name,
    is_local: group.isLocal,
    role: group.role,
    is_sysadmin: group.role === 'system_administrator',
    is_admin: group.role === 'administrator',
    shipped: group.isShipped,
    version: group.version,
    match_domains: [...group.domains],
    match_groups: [...group.matchGroups],
    members: group.memberCount,
    // Catalogue settings only, each under its wire name.
    ...group.policy,
    created_at: isoInstant(group.createdAt),
    updated_at: isoInstant(group.updatedAt),
  };
}

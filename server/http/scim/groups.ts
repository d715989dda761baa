// `/scim/v2/Groups`.
import {
  changeGroup,
  createGroup,
  type GroupResource,
  getGroup,
  listGroupMembers,
  listGroupPages,
  removeGroup,
} from '../../actions/scim/groups.ts';
import { readGroup, type ScimGroupInput } from '../../domain/scim.ts';
import { demanded } from '../../lib/scim/filter.ts';
import { applyOperations, readOperations } from '../../lib/scim/patch.ts';
import type { Complex } from '../../lib/scim/paths.ts';
import type { ScimAnswer, ScimCall, ServeScim } from './calls.ts';
import { filterOf, isUnchanged, listBody, preconditionOf } from './lists.ts';
import { etagOf, groupBody, selected } from './resources.ts';

export function serveScimGroups(serve: ServeScim): void {
  serve('GET', '/Groups', async (call) => {
    const { deps, query } = call;
    const filter = filterOf(query);
    const wanted = (name: string) => (filter === null ? undefined : demanded(filter, name));
    const pages = listGroupPages(deps.ctx, {
      displayName: wanted('displayName'),
      externalId: wanted('externalId'),
      id: wanted('id'),
    });
    return {
      body: await listBody(query, filter, pages, (groups) => Promise.all(groups.map((one) => bodyOf(call, one)))),
    };
  });
  serve('POST', '/Groups', async (call) => {
    const input = readGroup(await call.readBody());
    return answerOf(call, await createGroup(call.deps.ctx, call.caller, input), 201);
  });
  serve('GET', '/Groups/:id', async (call) => {
    const group = await getGroup(call.deps.ctx, call.id);
    return isUnchanged(call, etagOf(group)) ? { status: 304, etag: etagOf(group) } : answerOf(call, group);
  });
  serve('PUT', '/Groups/:id', async (call) => {
    const input = readGroup(await call.readBody());
    return change(call, () => input);
  });
  serve('PATCH', '/Groups/:id', async (call) => {
    const operations = readOperations(await call.readBody());
    return change(call, (before) => readGroup(applyOperations(documentOf(before), operations)));
  });
  serve('DELETE', '/Groups/:id', async (call) => {
    await removeGroup(call.deps.ctx, call.caller, call.id, { assertVersion: preconditionOf(call) });
    return { status: 204 };
  });
}

async function change(call: ScimCall, to: (before: ScimGroupInput) => ScimGroupInput): Promise<ScimAnswer> {
  const how = { change: to, assertVersion: preconditionOf(call) };
  return answerOf(call, await changeGroup(call.deps.ctx, call.caller, call.id, how));
}

function documentOf({ displayName, externalId, members }: ScimGroupInput): Complex {
  return {
    displayName,
    ...(externalId === null ? {} : { externalId }),
    members: members.map(({ id, kind }) => ({ value: id, type: kind })),
  };
}

async function bodyOf({ deps, base, query }: ScimCall, group: GroupResource): Promise<Complex> {
  const isExcluded = (query.get('excludedAttributes') ?? '').split(',').some((name) => name.trim() === 'members');
  return groupBody(base, group, isExcluded ? null : await listGroupMembers(deps.ctx, group.id));
}

async function answerOf(call: ScimCall, group: GroupResource, status: 200 | 201 = 200): Promise<ScimAnswer> {
  const body = await bodyOf(call, group);
  const location = (body.meta as Complex).location as string;
  const shown = selected(body, call.query);
  return { status, body: shown, etag: etagOf(group), ...(status === 201 ? { location } : {}) };
}

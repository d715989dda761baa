// `/scim/v2/Users`.
import {
  changePerson,
  createPerson,
  describePeople,
  getPerson,
  listPeople,
  removePerson,
  type ScimResource,
} from '../../actions/scim/people.ts';
import { readPerson, type ScimPerson } from '../../domain/scim.ts';
import { demanded } from '../../lib/scim/filter.ts';
import { applyOperations, readOperations } from '../../lib/scim/patch.ts';
import type { Complex } from '../../lib/scim/paths.ts';
import type { ScimAnswer, ScimCall, ServeScim } from './calls.ts';
import { filterOf, isUnchanged, listBody, preconditionOf } from './lists.ts';
import { etagOf, personBody, selected } from './resources.ts';

export function serveScimPeople(serve: ServeScim): void {
  serve('GET', '/Users', async ({ deps: { ctx }, query, base }) => {
    const filter = filterOf(query);
    const wanted = (name: string) => (filter === null ? undefined : demanded(filter, name));
    const pages = listPeople(ctx, {
      userName: wanted('userName'),
      externalId: wanted('externalId'),
      id: wanted('id'),
    });
    const body = await listBody(query, filter, pages, async (rows) =>
      (await describePeople(ctx, rows)).map((resource) => personBody(base, resource)),
    );
    return { body };
  });
  serve('POST', '/Users', async (call) => {
    const person = readPerson(await call.readBody());
    return answerOf(call, await createPerson(call.deps.ctx, call.caller, person), 201);
  });
  serve('GET', '/Users/:id', async (call) => {
    const found = await getPerson(call.deps.ctx, call.id);
    return isUnchanged(call, etagOf(found.row)) ? { status: 304, etag: etagOf(found.row) } : answerOf(call, found);
  });
  serve('PUT', '/Users/:id', async (call) => {
    const person = readPerson(await call.readBody());
    return change(call, () => person);
  });
  serve('PATCH', '/Users/:id', async (call) => {
    const operations = readOperations(await call.readBody());
    return change(call, (before) => readPerson(applyOperations(documentOf(before), operations)));
  });
  serve('DELETE', '/Users/:id', async (call) => {
    await removePerson(call.deps.ctx, call.caller, call.id, { assertVersion: preconditionOf(call) });
    return { status: 204 };
  });
}

async function change(call: ScimCall, to: (before: ScimPerson) => ScimPerson): Promise<ScimAnswer> {
  const how = { change: to, assertVersion: preconditionOf(call) };
  return answerOf(call, await changePerson(call.deps.ctx, call.caller, call.id, how));
}

/** What a client may change. */
function documentOf({ userName, externalId, isActive, attributes }: ScimPerson): Complex {
  return { userName, ...(externalId === null ? {} : { externalId }), active: isActive, ...attributes };
}

function answerOf({ base, query }: ScimCall, resource: ScimResource, status: 200 | 201 = 200): ScimAnswer {
  const body = personBody(base, resource);
  const etag = etagOf(resource.row);
  return {
    status,
    body: selected(body, query),
    etag,
    ...(status === 201 ? { location: (body.meta as Complex).location as string } : {}),
  };
}

// Random sequences of SCIM calls, compared with a model after each call.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { onEachDatabase } from '#test/kit/app.ts';
import { ScimClient, scimToken } from '#test/kit/scim-client.ts';
import { useApp } from '#test/kit/use-app.ts';

/** More would be a mass change. */
const names = ['ann', 'ben', 'cat', 'dan'];
const name = fc.constantFrom(...names);

interface Person {
  id: string;
  active: boolean;
  title: string | undefined;
}

type Call =
  | { is: 'create' | 'remove' | 'find'; name: string }
  | { is: 'switch'; name: string; to: boolean; form: 'Entra' | 'Okta' | 'whole' }
  | { is: 'title'; name: string; title: string; op: 'add' | 'Replace' }
  | { is: 'untitle'; name: string }
  | { is: 'join' | 'quit'; name: string };

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ is: fc.constantFrom('create', 'remove', 'find'), name }),
  fc.record({
    is: fc.constant('switch' as const),
    name,
    to: fc.boolean(),
    form: fc.constantFrom('Entra', 'Okta', 'whole'),
  }),
  fc.record({
    is: fc.constant('title' as const),
    name,
    title: fc.constantFrom('A', 'B'),
    op: fc.constantFrom('add', 'Replace'),
  }),
  fc.record({ is: fc.constant('untitle' as const), name }),
  fc.record({ is: fc.constantFrom('join', 'quit'), name }),
) as fc.Arbitrary<Call>;

onEachDatabase('SCIM, call by call', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_SCIM_TOKEN: scimToken } });
  let scim: ScimClient;
  let group: string;
  before(async () => {
    scim = new ScimClient(app);
    group = (await scim.group('Everyone')).id;
  });

  const bodyOf = (who: string, active: boolean, title?: string) => ({
    userName: `${who}@example.com`,
    active,
    ...(title === undefined ? {} : { title }),
  });

  class Model {
    people = new Map<string, Person>();
    members = new Set<string>();

    async run(one: Call): Promise<void> {
      const known = this.people.get(one.name);
      const path = `/Users/${known?.id ?? `nobody-${one.name}`}`;
      const status = known === undefined ? 404 : 200;
      if (one.is === 'create') return this.create(one.name);
      if (one.is === 'find') return this.find(one.name);
      if (one.is === 'remove') {
        await scim.expect(known === undefined ? 404 : 204, 'DELETE', path);
        this.people.delete(one.name);
        this.members.delete(one.name);
      } else if (one.is === 'switch') {
        if (one.form === 'whole') await scim.expect(status, 'PUT', path, bodyOf(one.name, one.to, known?.title));
        else if (one.form === 'Okta') await scim.patch(status, path, { op: 'replace', value: { active: one.to } });
        else await scim.patch(status, path, { op: 'Replace', path: 'active', value: one.to ? 'True' : 'False' });
        if (known !== undefined) known.active = one.to;
      } else if (one.is === 'title') {
        await scim.patch(status, path, { op: one.op, path: 'title', value: one.title });
        if (known !== undefined) known.title = one.title;
      } else if (one.is === 'untitle') {
        await scim.patch(status, path, { op: 'remove', path: 'title' });
        if (known !== undefined) known.title = undefined;
      } else await this.changeMember(one.name, one.is, known);
    }

    private async create(who: string): Promise<void> {
      const isKnown = this.people.has(who);
      const made = await scim.expect(isKnown ? 409 : 201, 'POST', '/Users', bodyOf(who, true));
      if (!isKnown) this.people.set(who, { id: made.id, active: true, title: undefined });
    }

    private async find(who: string): Promise<void> {
      const filter = encodeURIComponent(`userName eq "${who.toUpperCase()}@example.com"`);
      const { totalResults } = await scim.expect(200, 'GET', `/Users?filter=${filter}`);
      assert.equal(totalResults, this.people.has(who) ? 1 : 0);
    }

    private async changeMember(who: string, is: 'join' | 'quit', known: Person | undefined): Promise<void> {
      const value = [{ value: known?.id ?? 'nobody' }];
      const op = is === 'join' ? 'Add' : 'Remove';
      await scim.patch(known === undefined && is === 'join' ? 400 : 200, `/Groups/${group}`, {
        op,
        path: 'members',
        value,
      });
      if (known === undefined) return;
      if (is === 'join') this.members.add(who);
      else this.members.delete(who);
    }

    async compare(): Promise<void> {
      const { Resources } = await scim.expect(200, 'GET', '/Users');
      const shown = Resources.map((one: Record<string, unknown>) => [one.userName, one.id, one.active, one.title]);
      const expected = [...this.people].map(([who, { id, active, title }]) => [
        `${who}@example.com`,
        id,
        active,
        title,
      ]);
      assert.deepEqual(shown.toSorted(), expected.toSorted());
      const { members = [] } = await scim.expect(200, 'GET', `/Groups/${group}`);
      const ids = [...this.members].map((who) => this.people.get(who)!.id);
      assert.deepEqual(members.map(({ value }: { value: string }) => value).toSorted(), ids.toSorted());
      for (const { id, active } of this.people.values()) {
        const row = app.app.ctx.db.read.selectFrom('users').select('state').where('id', '=', id);
        assert.equal((await row.executeTakeFirstOrThrow()).state, active ? 'active' : 'disabled');
      }
    }

    async end(): Promise<void> {
      for (const who of [...this.people.keys()]) await this.run({ is: 'remove', name: who });
    }
  }

  test('answers and keeps what the model predicts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 25 }), async (calls) => {
        const model = new Model();
        for (const one of calls) {
          await model.run(one);
          await model.compare();
        }
        await model.end();
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });
});

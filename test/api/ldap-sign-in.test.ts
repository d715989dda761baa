// The usual sign-in form and POST /login with the password of a directory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findUserByEmail } from '#server/db/users/users.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import {
  groupDn,
  personDn,
  type Slapd,
  slapdAdmin,
  slapdBase,
  slapdEntries,
  slapdPassword,
  slapdRequirement,
  startSlapd,
} from '#test/kit/servers/slapd.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const isMissing = !slapdRequirement.isMet();
const ldap = (name: string) => ({
  uid: name,
  mail: `${name}@example.com`,
  name: `Name of ${name}`,
  password: `${name} (secret)`,
});
const names = ['ann', 'ben', 'eve', 'outsider', 'locked', 'taken', 'down'];
const staff = names.filter((name) => name !== 'outsider').map(personDn);

if (isMissing) test.skip('a sign-in with the password of a directory needs slapd');
else
  onEachDatabase('A sign-in with the password of a directory', (start) => {
    let slapd: Slapd;
    const environment: Record<string, string> = {
      WAYBILL_ROLE: 'web',
      WAYBILL_LDAP_URL: '',
      WAYBILL_LDAP_BIND_DN: slapdAdmin,
      WAYBILL_LDAP_BIND_PASSWORD: slapdPassword,
      WAYBILL_LDAP_BASE_DN: slapdBase,
      WAYBILL_LDAP_NAME: 'Staff directory',
    };
    before(async () => {
      slapd = await startSlapd(slapdEntries(names.map(ldap), { staff, everyone: [groupDn('staff')] }));
      environment.WAYBILL_LDAP_URL = slapd.url;
    });
    after(() => slapd?.remove());
    const app = useApp(start, { environment });

    const login = (email: string, password: string) =>
      app.anonymous.call('login', { body: { user: { email, password } } });
    const account = (name: string) => findUserByEmail(app.app.ctx.db.read, `${name}@example.com`);

    test('is refused to people in no matching group', async () => {
      assert.equal((await login('ann', 'ann (secret)')).status, 422);
      assert.equal(await account('ann'), undefined);
      await app.group('Colleagues', { match_groups: ['Everyone'] });
      assert.equal((await login('outsider', 'outsider (secret)')).status, 422);
    });

    test('creates the account in its group at the first sign-in, and finds it again', async () => {
      assert.equal((await login('ann', 'ann (secret)')).status, 200);
      const user = (await account('ann'))!;
      assert.equal(user.groupId, 'colleagues');
      assert.equal(user.name, 'Name of ann');
      assert.equal(user.passwordHash, null);
      assert.equal((await login('ANN@example.com', 'ann (secret)')).status, 200);
    });

    test('is refused for wrong and empty passwords like for any account', async () => {
      for (const [name, password] of [
        ['ben', 'wrong'],
        ['ben', ''],
        ['*', 'ben (secret)'],
        ['ben)(uid=*', 'ben (secret)'],
      ] as const)
        assert.ok([401, 422].includes((await login(name, password)).status), `${name} ${password}`);
      assert.equal(await account('ben'), undefined);
    });

    test('counts failures, and closes after five', async () => {
      for (let attempt = 0; attempt < 5; attempt++) assert.equal((await login('eve', 'wrong')).status, 401);
      assert.equal((await login('eve', 'eve (secret)')).status, 401);
      app.clock.advance(20 * 60_000);
      assert.equal((await login('eve', 'eve (secret)')).status, 200);
    });

    test('is refused to a person who is disabled in the directory', async () => {
      slapd.change(
        `dn: ${personDn('locked')}\nchangetype: modify\nadd: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z\n`,
      );
      assert.notEqual((await login('locked', 'locked (secret)')).status, 200);
      assert.equal(await account('locked'), undefined);
    });

    test('does not take over an account with the same address', async () => {
      const person = await newPerson(app, 'taken', {
        email: 'taken@example.com',
        password: 'seven lamps under a river',
      });
      const answer = await login('taken', 'taken (secret)');
      assert.equal(answer.status, 422);
      assert.match(JSON.stringify(answer.body), /Sign in with a browser once/);
      assert.equal((await login('taken@example.com', 'seven lamps under a river')).status, 200);
      assert.equal((await account('taken'))!.id, idOf(person));
    });

    test('leads a browser to the page where the owner proves the account', async () => {
      const browser = new Browser(app.url);
      const page = await browser.submit('/sign-in', { email: 'taken', password: 'taken (secret)' });
      assert.equal(page.location, '/sign-in/link');
    });

    test('reports a directory that does not answer, while accounts with a password still sign in', async () => {
      await slapd.stop();
      try {
        const answer = await login('down', 'down (secret)');
        assert.equal(answer.status, 503);
        assert.match(JSON.stringify(answer.body), /Staff directory can’t be reached/);
        assert.equal((await login('taken@example.com', 'seven lamps under a river')).status, 200);
      } finally {
        await slapd.start();
      }
      assert.equal((await login('down', 'down (secret)')).status, 200);
    });
  });

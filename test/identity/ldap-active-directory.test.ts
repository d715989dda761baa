// The LDAP client against Active Directory, as Samba implements it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { withLdap } from '#server/lib/ldap/connection.ts';
import { type Directory, signInToDirectory, withDirectory } from '#server/lib/ldap/directory.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import {
  type Samba,
  sambaAdmin,
  sambaBase,
  sambaPassword,
  sambaRequirement,
  startSamba,
} from '#test/kit/servers/samba.ts';

const skip = sambaRequirement.isMet() ? false : 'needs Samba';
const password = 'Right (horse)*\\1';
const users = `CN=Users,${sambaBase}`;
const enabled = '512';
const disabled = '514';

describe('the LDAP client with Active Directory', { skip }, () => {
  let samba: Samba;
  let directory: Directory;

  before(async () => {
    samba = await startSamba();
    directory = {
      url: samba.tlsUrl,
      bindDn: sambaAdmin,
      bindPassword: sambaPassword,
      ca: samba.certificatePem,
      timeoutMs: 30_000,
      kind: 'active_directory',
      baseDn: sambaBase,
      userFilter: '',
      emailAttribute: 'mail',
      groupBaseDn: '',
      disabledFilter: '',
    };
    await withLdap(directory, async (client) => {
      for (const [cn, account] of [
        ['Ann Ärlig', 'ann'],
        ['Bo (the) *star*', 'bo'],
        ['Gone, soon', 'gone'],
      ] as const)
        await client.add(`CN=${cn.replace(',', '\\,')},${users}`, {
          objectClass: 'user',
          sAMAccountName: account,
          userPrincipalName: `${account}@example.test`,
          displayName: cn,
          mail: `${account}@example.com`,
          unicodePwd: Buffer.from(`"${password}"`, 'utf16le') as never,
          userAccountControl: enabled,
        });
      const members: Record<string, string> = {
        Staff: `CN=Ann Ärlig,${users}`,
        'All (staff)*': `CN=Staff,${users}`,
        Everyone: `CN=All (staff)*,${users}`,
      };
      for (const [name, member] of Object.entries(members))
        await client.add(`CN=${name},${users}`, {
          objectClass: 'group',
          sAMAccountName: name.replace('*', ''),
          member,
        });
    });
  });
  after(() => samba?.stop());

  test('refuses wrong, empty and unknown logins', async () => {
    for (const [login, given] of [
      ['ann', 'wrong'],
      ['ann', ''],
      ['*', password],
      ['ann)(sAMAccountName=*', password],
      ['nobody', password],
    ] as const)
      assert.equal(await signInToDirectory(directory, login, given), null, login);
  });

  test('names the step that fails: a plain connection, another certificate, a wrong password', async () => {
    await assert.rejects(signInToDirectory({ ...directory, url: samba.plainUrl }, 'ann', password), { step: 'bind' });
    const { certificatePem: ca } = makeCertificate();
    for (const url of [samba.tlsUrl, samba.startTlsUrl])
      await assert.rejects(signInToDirectory({ ...directory, url, ca }, 'ann', password), { step: 'certificate' });
    const failing = { ...directory, bindPassword: 'wrong' };
    await assert.rejects(signInToDirectory(failing, 'ann', password), { step: 'bind' });
  });

  test('signs in by account name, with the domain, by principal name and by address', async () => {
    const subjects = new Set<string>();
    for (const login of ['ann', 'EXAMPLE\\ann', 'ann@example.test', 'ann@example.com']) {
      const person = (await signInToDirectory(directory, login, password))!;
      assert.deepEqual([person.address, person.name, person.isDisabled], ['ann@example.com', 'Ann Ärlig', false]);
      subjects.add(person.subject);
    }
    assert.equal(subjects.size, 1);
    assert.match([...subjects][0]!, /^[0-9a-f-]{36}$/);
    const startTls = { ...directory, url: samba.startTlsUrl };
    assert.equal((await signInToDirectory(startTls, 'bo', password))!.name, 'Bo (the) *star*');
  });

  test('finds nested groups and the primary group', async () => {
    const { groups } = (await signInToDirectory(directory, 'ann', password))!;
    for (const name of ['Staff', 'All (staff)*', 'Everyone', `CN=Staff,${users}`, 'Domain Users'])
      assert.ok(groups.includes(name), `${name} in ${groups.join('; ')}`);
    const others = (await signInToDirectory(directory, 'bo', password))!.groups;
    assert.ok(others.includes('Domain Users') && !others.includes('Staff'));
  });

  test('knows people again after a move, and sees who is disabled or deleted', async () => {
    const subjects = new Map<string, string>();
    for (const name of ['ann', 'bo', 'gone'])
      subjects.set(name, (await signInToDirectory(directory, name, password))!.subject);
    await withLdap(directory, async (client) => {
      const { Attribute, Change } = await import('ldapts');
      const modification = new Attribute({ type: 'userAccountControl', values: [disabled] });
      await client.modify(`CN=Bo (the) *star*,${users}`, [new Change({ operation: 'replace', modification })]);
      await client.del(`CN=Gone\\, soon,${users}`);
      await client.modifyDN(`CN=Ann Ärlig,${users}`, `CN=Ann Other,${users}`);
    });
    assert.equal(await signInToDirectory(directory, 'bo', password), null);
    const found = await withDirectory(directory, (open) => open.findPeople([...subjects.values()]));
    const stateOf = (name: string) => found.get(subjects.get(name)!)?.isDisabled;
    assert.deepEqual(['ann', 'bo', 'gone'].map(stateOf), [false, true, undefined]);
    assert.equal(await withDirectory(directory, (open) => open.hasPeople()), true);
  });
});

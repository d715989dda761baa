// The LDAP client against OpenLDAP: sign-in, groups, disabled people, faults.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { withLdap } from '#server/lib/ldap/connection.ts';
import { type Directory, signInToDirectory, withDirectory } from '#server/lib/ldap/directory.ts';
import { parseLdapUrl } from '#server/lib/ldap/url.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import {
  groupDn,
  personDn,
  type Slapd,
  slapdAdmin,
  slapdBase,
  slapdEntries,
  slapdPassword,
  slapdPerson,
  slapdRequirement,
  startSlapd,
} from '#test/kit/servers/slapd.ts';

const skip = slapdRequirement.isMet() ? false : 'needs slapd';

const people = [
  { uid: 'ann', mail: 'ann@example.com', name: 'Ann Ärlig', password: 'right (horse)*\\' },
  { uid: 'o(b)*\\', mail: 'ob@example.com', password: 'other' },
  { uid: 'comma, name', mail: 'comma@example.com', password: 'other', more: 'ou: x' },
  { uid: 'twin', mail: 'twin@example.com', password: 'one' },
  { uid: 'twin2', mail: 'twin@example.com', password: 'two' },
  { uid: 'nopass', mail: 'nopass@example.com' },
];
const chain = Array.from({ length: 12 }, (_, depth): [string, string[]] => [
  `level${depth + 1}`,
  [depth === 0 ? personDn('ann') : groupDn(`level${depth}`)],
]);
const groups = {
  staff: [personDn('ann'), personDn('comma, name')],
  'every (body)*': [groupDn('staff')],
  'loop a': [groupDn('loop b'), personDn('ann')],
  'loop b': [groupDn('loop a')],
  ...Object.fromEntries(chain),
};

describe('the LDAP client', { skip }, () => {
  let slapd: Slapd;
  let directory: Directory;
  before(async () => {
    slapd = await startSlapd(slapdEntries(people, groups));
    directory = directoryAt(slapd.url);
  });
  after(() => slapd?.remove());

  test('refuses wrong, empty and unknown logins, and names that two people have', async () => {
    for (const [login, password] of [
      ['ann', 'wrong'],
      ['ann', ''],
      ['', 'right (horse)*\\'],
      ['*', 'right (horse)*\\'],
      ['a*', 'right (horse)*\\'],
      ['ann)(uid=*', 'right (horse)*\\'],
      ['nobody', 'other'],
      ['nopass', 'other'],
    ] as const)
      assert.equal(await signInToDirectory(directory, login, password), null, login);
    await assert.rejects(signInToDirectory(directory, 'twin@example.com', 'one'), { step: 'person' });
  });

  test('signs in by name or address and reads the person', async () => {
    for (const login of ['ann', 'ANN', 'ann@example.com']) {
      const person = await signInToDirectory(directory, login, 'right (horse)*\\');
      assert.match(person!.subject, /^[0-9a-f-]{36}$/);
      assert.equal(person!.address, 'ann@example.com');
      assert.equal(person!.name, 'Ann Ärlig');
      assert.equal(person!.isDisabled, false);
    }
    assert.equal((await signInToDirectory(directory, 'o(b)*\\', 'other'))!.address, 'ob@example.com');
    assert.equal((await signInToDirectory(directory, 'comma, name', 'other'))!.address, 'comma@example.com');
  });

  test('finds groups of groups to ten levels, also in a circle', async () => {
    const person = (await signInToDirectory(directory, 'ann', 'right (horse)*\\'))!;
    for (const name of ['staff', 'every (body)*', 'loop a', 'loop b', 'level1', 'level10'])
      assert.ok(person.groups.includes(name), name);
    assert.ok(person.groups.some((name) => name.toLowerCase() === groupDn('staff')));
    assert.ok(!person.groups.includes('level11'));
    assert.deepEqual((await signInToDirectory(directory, 'o(b)*\\', 'other'))!.groups, []);
  });

  test('sees a person who was disabled', async () => {
    slapd.change(
      `dn: ${personDn('twin2')}\nchangetype: modify\nadd: pwdAccountLockedTime\npwdAccountLockedTime: 20260101000000Z\n`,
    );
    const [subject] = await subjectsOf(directory, ['twin2']);
    const found = await withDirectory(directory, (open) => open.findPeople([subject!]));
    assert.equal(found.get(subject!)!.isDisabled, true);
  });

  test('uses TLS and StartTLS with an extra authority, and refuses another certificate', async () => {
    const ca = slapd.certificatePem;
    const startTls = `ldap+starttls://localhost:${slapd.port}`;
    for (const url of [slapd.tlsUrl, startTls]) {
      assert.ok(await signInToDirectory({ ...directoryAt(url), ca }, 'ann', 'right (horse)*\\'), url);
      for (const other of ['', makeCertificate().certificatePem])
        await assert.rejects(signInToDirectory({ ...directoryAt(url), ca: other }, 'ann', 'x'), {
          step: 'certificate',
        });
    }
  });

  test('names the step that fails', async () => {
    const [closed] = await freePorts(1);
    const failing = (changes: Partial<Directory>) => signInToDirectory({ ...directory, ...changes }, 'ann', 'x');
    await assert.rejects(failing({ url: `ldap://127.0.0.1:${closed}` }), { step: 'connect' });
    await assert.rejects(failing({ url: 'ldap://192.0.2.1' }), { step: 'address' });
    await assert.rejects(failing({ bindPassword: 'wrong' }), { step: 'bind' });
    await assert.rejects(failing({ bindPassword: '' }), { step: 'bind' });
    await assert.rejects(failing({ baseDn: 'dc=elsewhere' }), { step: 'search' });
    await assert.rejects(failing({ userFilter: '(((' }), { step: 'search' });
  });

  test('never continues on a second connection, which would be anonymous', async () => {
    await assert.rejects(
      withLdap(directory, async (client) => {
        await slapd.stop();
        await slapd.start();
        await client.search(slapdBase, { filter: '(uid=ann)' });
      }),
      { step: 'connect' },
    );
  });

  test('finds thousands of people by subject, although the server limits an answer to 500', async () => {
    const many = Array.from({ length: 5200 }, (_, at) => ({ uid: `p${at}`, mail: `p${at}@example.com` }));
    const large = await startSlapd(slapdEntries(many, {}));
    try {
      const place = directoryAt(large.url);
      const subjects = await withLdap(place, async (client) => {
        const entries = await client.search(`ou=people,${slapdBase}`, {
          filter: '(uid=*)',
          attributes: ['entryUUID'],
          paged: { pageSize: 400 },
        });
        return entries.searchEntries.map(({ entryUUID }) => String(entryUUID));
      });
      assert.equal(subjects.length, 5200);
      const found = await withDirectory(place, async (open) => {
        let count = 0;
        for (let at = 0; at < subjects.length; at += 50)
          count += (await open.findPeople(subjects.slice(at, at + 50))).size;
        return count;
      });
      assert.equal(found, 5200);
    } finally {
      await large.remove();
    }
  });

  test('tells a directory without people from one with people', async () => {
    assert.equal(await withDirectory(directory, (open) => open.hasPeople()), true);
    const empty = { ...directory, baseDn: `ou=groups,${slapdBase}` };
    assert.equal(await withDirectory(empty, (open) => open.hasPeople()), false);
    assert.equal((await withDirectory(directory, (open) => open.findPeople(['unknown', '']))).size, 0);
    assert.ok(slapdPerson({ uid: 'x' }).includes('inetOrgPerson'));
  });
});

test('passwords are sent to loopback in clear, and anywhere else only encrypted', () => {
  for (const url of [
    'ldap://dc.example.com',
    'ldap://10.0.0.1:389',
    'http://localhost',
    'ldaps://',
    'ldaps://a:0',
    'x',
  ])
    assert.equal(parseLdapUrl(url), null, url);
  assert.deepEqual(parseLdapUrl('ldap://127.0.0.1'), { host: '127.0.0.1', port: 389, protection: 'none' });
  assert.deepEqual(parseLdapUrl('ldaps://dc.example.com'), { host: 'dc.example.com', port: 636, protection: 'tls' });
  assert.deepEqual(parseLdapUrl('LDAP+StartTLS://[::1]:1389/'), { host: '::1', port: 1389, protection: 'start_tls' });
});

function directoryAt(url: string): Directory {
  return {
    url,
    bindDn: slapdAdmin,
    bindPassword: slapdPassword,
    ca: '',
    timeoutMs: 5000,
    kind: 'openldap',
    baseDn: slapdBase,
    userFilter: '',
    emailAttribute: 'mail',
    groupBaseDn: '',
    disabledFilter: '',
  };
}

function subjectsOf(directory: Directory, uids: readonly string[]): Promise<string[]> {
  return withLdap(directory, async (client) => {
    const subjects: string[] = [];
    for (const uid of uids) {
      const { searchEntries } = await client.search(personDn(uid), { scope: 'base', attributes: ['entryUUID'] });
      subjects.push(String(searchEntries[0]!.entryUUID));
    }
    return subjects;
  });
}

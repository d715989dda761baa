import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BrandingChanges,
  changedBranding,
  defaultBranding,
  logoMaxBytes,
  readOrganisationName,
} from './branding.ts';
import { Problem } from './problem.ts';

const refused = (code: string, field: string) => (error: unknown) => {
  assert.ok(error instanceof Problem);
  assert.deepEqual([error.code, error.field], [code, field]);
  return true;
};

const given = {
  colour: '#0e5a6b',
  contactAddress: 'it@example.com',
  privacyUrl: 'https://example.com/privacy',
  pageFooter: 'Below pages',
  mailFooter: 'Below mails',
};

test('each field is changed alone, and cleared by an empty value', () => {
  const all = changedBranding(defaultBranding, given);
  assert.deepEqual(all, { ...defaultBranding, ...given });
  assert.deepEqual(changedBranding(all, {}), all);
  for (const [key, empty] of Object.entries({ ...defaultBranding, logo: undefined })) {
    if (empty === undefined) continue;
    const changes = { [key]: '' } as BrandingChanges;
    assert.deepEqual(changedBranding(all, changes), { ...all, [key]: empty }, key);
  }
  assert.equal(changedBranding(all, { colour: null }).colour, null);
});

test('an invalid value is refused with its field', () => {
  const wrong: [BrandingChanges, string, string][] = [
    [{ colour: 'teal' }, 'branding.bad_colour', 'colour'],
    [{ contactAddress: 'it' }, 'branding.bad_contact', 'contact_address'],
    [{ privacyUrl: 'example.com' }, 'branding.bad_privacy_url', 'privacy_url'],
    [{ privacyUrl: 'javascript:alert(1)' }, 'branding.bad_privacy_url', 'privacy_url'],
    [{ privacyUrl: 'https://me@example.com/' }, 'branding.bad_privacy_url', 'privacy_url'],
    [{ privacyUrl: 'https://:secret@example.com/' }, 'branding.bad_privacy_url', 'privacy_url'],
    [{ pageFooter: 'a\u0007b' }, 'branding.bad_footer', 'page_footer'],
    [{ mailFooter: 'a\tb' }, 'branding.bad_footer', 'mail_footer'],
  ];
  for (const [changes, code, field] of wrong)
    assert.throws(() => changedBranding(defaultBranding, changes), refused(code, field), JSON.stringify(changes));
});

test('the maximum length is accepted, one character more is not', () => {
  const address = (length: number) => `https://example.com/${'a'.repeat(length - 'https://example.com/'.length)}`;
  assert.equal(changedBranding(defaultBranding, { privacyUrl: address(500) }).privacyUrl!.length, 500);
  assert.throws(() => changedBranding(defaultBranding, { privacyUrl: address(501) }));
  for (const key of ['pageFooter', 'mailFooter'] as const) {
    assert.equal(changedBranding(defaultBranding, { [key]: `${'a'.repeat(299)}\r\n` })[key].length, 299);
    assert.equal(changedBranding(defaultBranding, { [key]: `a\r\n${'b'.repeat(298)}` })[key].length, 300);
    assert.throws(() => changedBranding(defaultBranding, { [key]: 'a'.repeat(301) }));
  }
  assert.equal(readOrganisationName(` ${'a'.repeat(100)} `, 'name').length, 100);
  for (const name of ['', '  ', 'a'.repeat(101), 'two\nlines'])
    assert.throws(() => readOrganisationName(name, 'name'), refused('organisation.bad_name', 'name'));
  assert.equal(logoMaxBytes, 262_144);
});

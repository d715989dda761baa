import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasExtensionRule, refuseExtension, refuseUnfinished } from './attachments.ts';
import { defaultPolicy } from './policy.ts';

const policy = defaultPolicy(true);
const isRefused = (name: string, rules: { permitted?: string; blocked?: string }) =>
  refuseExtension(
    { ...policy, permitted_extensions: rules.permitted ?? '', blocked_extensions: rules.blocked ?? '' },
    name,
  ) !== null;

test('blocked extensions are refused in any case and behind any other', () => {
  for (const name of ['a.exe', 'A.EXE', 'photo.jpg.exe', '.exe', 'a..exe', 'ファイル.ExE', 'a.BAT'])
    assert.ok(isRefused(name, { blocked: 'exe,bat' }), name);
});

test('letters that only look the same when folded are folded', () => {
  assert.ok(isRefused('a.\u212aey', { blocked: 'key' }), 'the Kelvin sign is a k');
});

test('what is not on the blocked list passes, also without an extension', () => {
  for (const name of ['a.txt', 'exe', 'a.exe.txt', 'a.exes', 'a.ex', 'README', 'a.', 'a.exe_'])
    assert.ok(!isRefused(name, { blocked: 'exe,bat' }), name);
});

test('with a permitted list everything else is refused, also what has no extension', () => {
  for (const name of ['a.exe', 'README', 'pdf', 'a.pdf.exe', 'a.', 'a.pdfx'])
    assert.ok(isRefused(name, { permitted: 'pdf,txt' }), name);
  for (const name of ['a.pdf', 'A.TXT', 'a.exe.pdf', '.pdf'])
    assert.ok(!isRefused(name, { permitted: 'pdf,txt' }), name);
});

test('without lists everything passes', () => {
  for (const name of ['a.exe', 'README', '', '.']) assert.ok(!isRefused(name, {}), name);
});

test('the sentence says what to do, and the permitted ones are named', () => {
  const blocked = refuseExtension({ ...policy, blocked_extensions: 'exe' }, 'Setup.EXE')!;
  assert.equal(blocked.code, 'attachment.extension_not_permitted');
  assert.equal(blocked.field, 'filename');
  assert.match(blocked.message, /^\.exe files can’t be sent.*\.zip/);
  const permitted = refuseExtension({ ...policy, permitted_extensions: 'pdf,txt', blocked_extensions: '' }, 'a.exe')!;
  assert.match(permitted.message, /\.pdf, \.txt files only/);
});

test('an outside uploader sees no mention of a group or an administrator', () => {
  for (const lists of [{ blocked_extensions: 'exe' }, { permitted_extensions: 'pdf', blocked_extensions: '' }]) {
    const { message } = refuseExtension({ ...policy, ...lists }, 'a.exe', true)!;
    assert.match(message, /can’t be handed in here|Only \.pdf files can be handed in here/);
    assert.doesNotMatch(message, /group|administrator/i);
  }
  const ruleOf = (isFromOutside: boolean, lists: object) =>
    refuseExtension({ ...policy, ...lists }, 'a.exe', isFromOutside)!.values.rule;
  const permitted = { permitted_extensions: 'pdf' };
  assert.deepEqual(
    [ruleOf(true, { blocked_extensions: 'exe' }), ruleOf(true, permitted)],
    ['blocked_here', 'only_here'],
  );
  assert.deepEqual([ruleOf(false, { blocked_extensions: 'exe' }), ruleOf(false, permitted)], ['blocked', 'only']);
});

test('a name decides something where there is a list', () => {
  const none = { ...policy, permitted_extensions: '', blocked_extensions: '' };
  assert.equal(hasExtensionRule(none), false);
  assert.equal(hasExtensionRule({ ...none, permitted_extensions: 'pdf' }), true);
  assert.equal(hasExtensionRule({ ...none, blocked_extensions: 'exe' }), true);
});

test('the shipped list blocks programs', () => {
  for (const name of ['a.exe', 'a.vbs', 'a.scr', 'a.bat', 'a.cmd', 'a.com'])
    assert.ok(refuseExtension(policy, name), name);
  assert.equal(refuseExtension(policy, 'report.pdf'), null);
});

test('a file without a checksum cannot be shared, and other states are not refused for that', () => {
  assert.equal(refuseUnfinished('sealing', 'attachment')!.code, 'attachment.not_ready');
  for (const state of ['ready', 'damaged', 'failed', 'erased'] as const)
    assert.equal(refuseUnfinished(state, 'attachment'), null);
});

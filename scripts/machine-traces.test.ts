import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tracesIn } from './machine-traces.ts';

const checkout = '/srv/checkouts/a';
const count = (path: string, line: string) => tracesIn(path, line, checkout).length;
// Joined here, so that the check does not find this file.
const outside = ['registry', 'company', 'com'].join('.');
const below = (folder: string) => `/${folder}/user/x.ts`;

test('folders of users and build machines are found in any file', () => {
  assert.equal(count('docs/a.md', `see ${below('home')}`), 1);
  assert.equal(count('server/a.ts', `open('${below('root')}')`), 1);
  assert.equal(count('server/a.ts', `open('${below('work')}')`), 1);
  assert.equal(count('docs/a.md', `cd ${checkout}/server`), 1);
});

test('external hosts that are neither examples nor standards are found in code', () => {
  assert.equal(count('server/a.ts', `fetch('https://${outside}/x')`), 1);
  assert.equal(count('server/a.ts', `fetch('https://user:secret@${outside}:8443/x')`), 1);
  assert.equal(count('package-lock.json', `"resolved": "https://${outside}/a.tgz"`), 1);
});

test('ordinary paths, examples and links in documents are not reported', () => {
  assert.equal(count('server/a.ts', `'/api/home/x' + './root/x' + 'a${below('work')}'`), 0);
  assert.equal(count('server/a.ts', `'http://127.0.0.1:80/' + 'https://files.example/x' + 'http://[::1]:3/'`), 0);
  assert.equal(count('docs/a.md', `https://${outside}`), 0);
  assert.equal(count('package-lock.json', `"url": "https://${outside}/sponsors"`), 0);
});

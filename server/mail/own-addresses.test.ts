import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutOwnAddresses } from './own-addresses.ts';

const base = 'https://files.harbour.example:8443/share';
const hidden = (text: string) => withoutOwnAddresses(text, base);

test('replies without our address stay unchanged', () => {
  for (const text of [
    '250 2.0.0 Ok: queued as 4XyZ',
    '554 see https://filter.example/why?id=1',
    '550 https://files.harbour.example.org/link/x',
    '550 <ben@files.harbour.example>: unknown',
  ])
    assert.equal(hidden(text), text);
});

test('our address loses everything after the host', () => {
  for (const address of [
    'files.harbour.example/link/Zk3',
    'https://files.harbour.example:8443/share/link/Zk3',
    'FILES.HARBOUR.EXAMPLE:8443/m?a=b#c',
  ])
    assert.match(
      hidden(`554 blocked (${address}), sorry`),
      /^554 blocked \((https:\/\/)?files\.harbour\.example(:8443)?\/…\), sorry$/i,
    );
  assert.equal(
    hidden('554 hxxps%3A%2F%2Ffiles.harbour.example:8443%2Flink%2FZk3 <https://files.harbour.example:8443/x>'),
    '554 hxxps%3A%2F%2Ffiles.harbour.example:8443/… <https://files.harbour.example:8443/…>',
  );
});

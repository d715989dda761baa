import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { createSecret } from './secret.ts';

test('no way of printing shows the value', () => {
  const secret = createSecret('hunter2-hunter2');
  const printed = [
    String(secret),
    `${secret}`,
    ['', secret].join('+'),
    JSON.stringify({ secret }),
    JSON.stringify({ ...secret }),
    inspect(secret),
    inspect({ deep: [secret] }, { depth: 9, showHidden: true, getters: true }),
    inspect(secret, { customInspect: false, showHidden: true, depth: 9 }),
    format('%s %o %O %j', secret, secret, secret, secret),
    Object.values(secret).map(String).join(),
  ];
  for (const text of printed) assert.doesNotMatch(text, /hunter2/);
  assert.equal(inspect({ key: secret }), '{ key: [secret] }');
  assert.equal(JSON.stringify({ key: secret }), '{"key":"[secret]"}');
});

test('revealing gives the value back, of any type', () => {
  assert.equal(createSecret('a').reveal(), 'a');
  const bytes = Buffer.from('b');
  assert.equal(createSecret(bytes).reveal(), bytes);
});

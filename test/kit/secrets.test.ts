// `secretsIn` finds a secret in every form, so that a test without findings is evidence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPdf } from '#server/lib/pdf.ts';
import { secretsIn } from './secrets.ts';

const secret = 'Zk3pQ8a1bC2dE3fG4hI5jK';
const secrets = [secret, 'aaaaaaaaaaaaaaaaaaaaaa'];
const pdf = (text: string, json: string) =>
  renderPdf({
    title: 'Receipt',
    author: 'Waybill',
    language: 'en',
    madeAt: new Date(0),
    blocks: [
      { is: 'heading', text: 'Files' },
      { is: 'text', text: `It was ${text}.` },
    ],
    footer: () => '',
    file: { name: 'receipt.json', text: json, description: 'the same' },
  });

test('no secret is found in a text without one', async () => {
  for (const text of ['', secret.slice(1), Buffer.from(secret).toString('hex'), await pdf('nothing', '{}')])
    assert.deepEqual(secretsIn(text, secrets), []);
});

test('a secret is found in text, Base64, percent-encoding and PDF', async () => {
  const cursor = Buffer.from(JSON.stringify([17, secret])).toString('base64url');
  const percent = [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
  for (const text of [
    `x${secret}y`,
    `{"next":"${cursor}"}`,
    `x${Buffer.from(` ${secret}`).toString('base64')}`,
    percent,
    await pdf('nothing', secret),
    await pdf(secret, '{}'),
  ])
    assert.deepEqual(secretsIn(text, secrets), [secret]);
});

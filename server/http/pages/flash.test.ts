import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import type { HttpDeps } from '../deps.ts';
import { readFlash, redirectWith } from './flash.ts';

/** The sealed text has the length of its content. */
const keys = {
  sealText: (_kind: string, text: string, context: string) => Buffer.from(`${context} ${text}`),
  openText: (_kind: string, sealed: Buffer, context: string) => {
    const text = sealed.toString();
    if (!text.startsWith(`${context} `)) throw new Error('sealed for another page');
    return text.slice(context.length + 1);
  },
};
const deps = { baseUrl: new URL('https://files.example/sub/'), ctx: { keys } } as unknown as HttpDeps;

function submit(kept: unknown, path = '/page?lang=de') {
  const sent: { status: number; headers: Record<string, unknown> }[] = [];
  const response = {
    writeHead: (status: number, headers: Record<string, unknown>) => void sent.push({ status, headers }),
    end() {},
  } as unknown as ServerResponse;
  const isKept = redirectWith(deps, response, path, { kept, cookies: ['other=1'] });
  return { isKept, sent };
}
const asked = (cookie: string) => ({ raw: { headers: { cookie } } as IncomingMessage });

describe('the flash of a form', () => {
  test('is in a cookie of five minutes, which its page reads and deletes', () => {
    const { isKept, sent } = submit({ problem: 'a' });
    assert.equal(isKept, true);
    assert.deepEqual([sent.length, sent[0]!.status, sent[0]!.headers.location], [1, 303, '/sub/page?lang=de']);
    const [other, cookie] = sent[0]!.headers['set-cookie'] as string[];
    assert.equal(other, 'other=1');
    assert.match(cookie!, /; Max-Age=300$/);
    const pair = cookie!.split(';', 1)[0]!;
    const { kept, cookies } = readFlash(deps, asked(pair), '/page');
    assert.deepEqual(kept, { problem: 'a' });
    assert.match(cookies[0]!, /Max-Age=0/i);
    for (const nothing of [readFlash(deps, asked(pair), '/other'), readFlash(deps, asked(''), '/page')])
      assert.deepEqual(nothing, { kept: null, cookies: [] });
  });

  test('is refused if browsers would drop the cookie; nothing is sent then', () => {
    assert.equal(submit('x'.repeat(2692)).isKept, true);
    const { isKept, sent } = submit('x'.repeat(2693));
    assert.deepEqual([isKept, sent], [false, []]);
  });
});

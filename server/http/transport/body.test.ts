import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { BodyAborted } from '../../domain/ports.ts';
import { Problem } from '../../domain/problem.ts';
import { drain, readForm, readJson } from './body.ts';

const response = { headersSent: false } as ServerResponse;
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

function request(body: string | null, headers: Record<string, string> = {}) {
  const socket = { isEnded: false, destroySoon: () => (socket.isEnded = true) };
  const raw = new Readable({ read() {} });
  if (body !== null) {
    raw.push(Buffer.from(body));
    raw.push(null);
  }
  return Object.assign(raw, { headers, socket, complete: false }) as unknown as IncomingMessage & {
    socket: typeof socket;
  };
}

const isTooLarge = (error: unknown) => error instanceof Problem && error.code === 'request.too_large';
const jsonOf = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;

describe('a body', () => {
  test('of JSON has 256 KiB at most, announced or not', async () => {
    const most = 256 * 1024;
    await assert.rejects(readJson(request(jsonOf(most + 1)), response, false), isTooLarge);
    await assert.rejects(readJson(request('{}', { 'content-length': `${most + 1}` }), response, false), isTooLarge);
    const text = await readJson(request(jsonOf(most), { 'content-length': `${most}` }), response, false);
    assert.equal((text as string).length, most - 2);
  });

  test('of a form has 64 KiB at most', async () => {
    const most = 64 * 1024;
    await assert.rejects(readForm(request('x'.repeat(most + 1), formType), response), isTooLarge);
    assert.equal([...(await readForm(request('x'.repeat(most), formType), response)).keys()][0]!.length, most);
  });

  test('that is empty is an empty object; invalid UTF-8, JSON or forms are refused', async () => {
    assert.deepEqual(await readJson(request(''), response, false), {});
    const refusals: [Promise<unknown>, string][] = [
      [readJson(request('{'), response, false), 'request.bad_json'],
      [readJson(request('x', { 'content-type': 'text/plain' }), response, false), 'request.not_json'],
      [readJson(request('x', { 'content-type': 'text/plain' }), response, true), 'request.bad_json'],
      [readForm(request('a=b'), response), 'request.not_form'],
    ];
    for (const [refused, code] of refusals)
      await assert.rejects(refused, (error) => error instanceof Problem && error.code === code);
  });

  test('may take a minute', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const errors: unknown[] = [];
    const reading = readJson(request(null), response, false).catch((error: unknown) => {
      errors.push(error);
    });
    t.mock.timers.tick(59_999);
    await Promise.resolve();
    assert.equal(errors.length, 0);
    t.mock.timers.tick(1);
    await reading;
    assert.ok(errors[0] instanceof BodyAborted);
  });

  test('that was refused is drained for 5 seconds and 32 MiB, then the connection ends', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const slow = request(null);
    drain(slow);
    t.mock.timers.tick(4_999);
    assert.equal(slow.socket.isEnded, false);
    t.mock.timers.tick(1);
    assert.equal(slow.socket.isEnded, true);

    const long = request(null);
    drain(long);
    const mebibyte = Buffer.alloc(1024 * 1024);
    const arrived = async (bytes: Buffer) => {
      (long as unknown as Readable).push(bytes);
      await new Promise(setImmediate);
    };
    for (let count = 0; count < 32; count++) await arrived(mebibyte);
    assert.equal(long.socket.isEnded, false);
    await arrived(Buffer.alloc(1));
    assert.equal(long.socket.isEnded, true);
  });

  test('that was refused and ends in time leaves the connection usable', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const short = request('the rest');
    drain(short);
    await new Promise((resolve) => short.once('end', resolve));
    t.mock.timers.tick(60_000);
    assert.equal(short.socket.isEnded, false);
    const whole = Object.assign(request(null), { complete: true });
    drain(whole);
    t.mock.timers.tick(60_000);
    assert.equal(whole.socket.isEnded, false);
  });
});

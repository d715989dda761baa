import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { assertOwnPage, isProgramRequest } from './forms.ts';

const site = { baseUrl: new URL('https://files.example.com/waybill') };
const requestWith = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;
const isTaken = (headers: Record<string, string>) => {
  try {
    assertOwnPage(site, requestWith(headers));
    return true;
  } catch (error) {
    assert.equal((error as { code: string }).code, 'request.foreign_form');
    return false;
  }
};

test('a form is accepted from our own pages only, by Sec-Fetch-Site or Origin', () => {
  const host = 'localhost:8080';
  const foreign: Record<string, string>[] = [
    {},
    { host },
    { host, origin: 'null' },
    { host, origin: 'https://evil.example' },
    { host, origin: 'https://localhost' },
    { origin: 'http://undefined' },
    { host, origin: 'https://files.example.com', 'sec-fetch-site': 'cross-site' },
    { host, origin: 'https://files.example.com', 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of foreign) assert.equal(isTaken(headers), false, JSON.stringify(headers));
  const own: Record<string, string>[] = [
    { host, origin: 'https://files.example.com' },
    { host, origin: 'http://localhost:8080' },
    { host, origin: 'https://localhost:8080' },
    { host, 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of own) assert.equal(isTaken(headers), true, JSON.stringify(headers));
});

test('a program sends neither an origin nor a cookie', () => {
  assert.equal(isProgramRequest(requestWith({ host: 'x' })), true);
  for (const name of ['sec-fetch-site', 'origin', 'cookie'])
    assert.equal(isProgramRequest(requestWith({ host: 'x', [name]: 'x' })), false, name);
});

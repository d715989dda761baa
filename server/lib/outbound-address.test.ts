import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { parseTrusted } from './client-address.ts';
import { post } from './https-post.ts';
import { AddressRefused, isPublicAddress, type Networks, resolveOutbound } from './outbound-address.ts';

const none: Networks = { contains: () => false };

test('addresses of this machine, of private networks and of special ranges are not public', () => {
  const inside = ['0.0.0.0', '127.0.0.1', '127.9.9.9', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254'];
  const special = ['100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.9'];
  const inside6 = ['::', '::1', 'fe80::1', 'fd00::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::', '64:ff9b::7f00:1'];
  const others6 = [
    'fec0::1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:20::1',
    '3fff::1',
    '5f00::1',
    '4000::1',
    'fe80::1%eth0',
  ];
  const mapped = [
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:7f00:1',
    '::127.0.0.1',
    '64:ff9b::169.254.169.254',
  ];
  for (const ip of [...inside, ...special, ...inside6, ...others6, ...mapped])
    assert.equal(isPublicAddress(ip), false, ip);
  for (const ip of ['8.8.8.8', '172.32.0.1', '2606:4700::1111']) assert.equal(isPublicAddress(ip), true, ip);
});

test('a name is refused if any of its addresses is not public, and when its answer changes', async () => {
  const url = new URL('https://hooks.example.com/events');
  const answers = [
    ['93.184.215.14'],
    ['93.184.215.14', '127.0.0.1'],
    ['2606:4700::1111', 'fd00::1'],
    ['169.254.169.254'],
    [],
  ];
  const lookup = async () => answers.shift()!;
  assert.equal(await resolveOutbound(url, none, lookup), '93.184.215.14');
  await assert.rejects(resolveOutbound(url, none, lookup), /127\.0\.0\.1 is not a public address/);
  await assert.rejects(resolveOutbound(url, none, lookup), /fd00::1 is not a public address/);
  await assert.rejects(resolveOutbound(url, none, lookup), /169\.254\.169\.254 is not a public address/);
  await assert.rejects(resolveOutbound(url, none, lookup), /has no address/);
});

test('other spellings of an inside address are refused too', async () => {
  const loopback = [
    '127.1',
    '0x7f000001',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '127。0。0。1',
  ];
  const any = ['0', '0.0.0.0', '0x0', '[::]', '[0:0::0]'];
  const metadata = [
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
  ];
  const inside6 = [
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
  ];
  for (const host of [...loopback, ...any, ...metadata, ...inside6, 'localhost'])
    await assert.rejects(resolveOutbound(new URL(`https://${host}/`), none), AddressRefused, host);
});

test('permitted networks may be sent to, also without TLS; elsewhere TLS is needed', async () => {
  const networks = parseTrusted('10.1.0.0/16');
  const resolve = (url: string, ip: string) => resolveOutbound(new URL(url), networks, async () => [ip]);
  assert.equal(await resolve('http://inside.example/', '10.1.2.3'), '10.1.2.3');
  await assert.rejects(resolve('http://inside.example/', '10.2.2.3'), AddressRefused);
  await assert.rejects(resolve('http://outside.example/', '8.8.8.8'), /not https/);
  await assert.rejects(resolve('ftp://inside.example/', '10.1.2.3'), /not https/);
});

test('the connection goes to the address that was checked, whatever the name resolves to by then', async () => {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://name-without-address.invalid:${port}/events`);
  const reply = await post(url, { headers: {}, body: '{}', address: '127.0.0.1' });
  assert.equal(reply.status, 204);
  assert.deepEqual(hosts, [`name-without-address.invalid:${port}`]);
  await new Promise((resolve) => server.close(resolve));
});

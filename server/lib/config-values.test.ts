import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  readAddressList,
  readDuration,
  readFlag,
  readHostNames,
  readListen,
  readNameServer,
  readS3Prefix,
  readSize,
  readTimeOfDay,
  readUrl,
  readWhole,
} from './config-values.ts';

const refuses = (read: () => unknown) => assert.throws(read, RangeError);

test('what to listen on: a port with or without a host, an IPv6 address, or a socket', () => {
  for (const text of ['', 'x', '1.2.3.4', ':', '1.2.3.4:', ':99999', '::1:80', 'a b:80', 'unix:', 'unix:here', '80 '])
    refuses(() => readListen(text));
  assert.deepEqual(readListen('127.0.0.1:80'), { kind: 'port', host: '127.0.0.1', port: 80 });
  assert.deepEqual(readListen('[::1]:80'), { kind: 'port', host: '::1', port: 80 });
  assert.deepEqual(readListen(':8080'), { kind: 'port', host: '0.0.0.0', port: 8080 });
  for (const text of [':65536', 'unix:']) refuses(() => readListen(text));
  assert.deepEqual(readListen(':65535'), { kind: 'port', host: '0.0.0.0', port: 65_535 });
  assert.deepEqual(readListen('8080'), { kind: 'port', host: '0.0.0.0', port: 8080 });
  assert.deepEqual(readListen('localhost:0'), { kind: 'port', host: 'localhost', port: 0 });
  assert.deepEqual(readListen('unix:/run/waybill.sock'), { kind: 'socket', path: '/run/waybill.sock' });
});

test('names of visitors: off, on, or one name server', () => {
  for (const text of [
    '',
    'yes',
    'dns.example.com',
    '192.0.2',
    '192.0.2.53:',
    '192.0.2.53:0',
    '192.0.2.53:65536',
    '[::1]:x',
  ])
    for (const read of [readHostNames, readNameServer]) refuses(() => read(text));
  assert.equal(readHostNames('off'), 'off');
  assert.equal(readHostNames('on'), 'system');
  for (const server of [
    '192.0.2.53',
    '127.0.0.1:5353',
    '127.0.0.1:1',
    '127.0.0.1:65535',
    '2001:db8::53',
    '[2001:db8::53]:5353',
  ])
    assert.deepEqual([readHostNames(server), readNameServer(server)], [{ server }, server]);
});

test('a public address: http or https, with a path if wanted, and nothing that does not belong there', () => {
  for (const text of [
    '',
    'example.com',
    'ftp://a',
    'javascript:1',
    'https://',
    'https://a/?x',
    'https://a/#x',
    'https://u@a',
  ])
    refuses(() => readUrl(text));
  assert.equal(readUrl('https://example.com').href, 'https://example.com/');
  assert.equal(readUrl('http://localhost:8080/files').pathname, '/files');
});

test('a flag in the words operators use', () => {
  for (const text of ['', '2', 'maybe', 'truee']) refuses(() => readFlag(text));
  for (const text of ['true', 'YES', 'on', '1']) assert.equal(readFlag(text), true);
  for (const text of ['false', 'No', 'OFF', '0']) assert.equal(readFlag(text), false);
});

test('a whole number within its bounds, written in digits', () => {
  for (const text of ['', '-1', '+1', '1e3', '0x10', '1.0', '4', '1234567890123', ' 2'])
    refuses(() => readWhole(text, 1, 3));
  assert.equal(readWhole('1', 1, 3), 1);
  assert.equal(readWhole('3', 1, 3), 3);
});

test('a size: K and KiB are 1024, kB is 1000, fractions are cut', () => {
  for (const text of ['', 'MiB', '-1', '1 XB', '1..5', '9007199254740993', '99999999 TiB', '1.2345'])
    refuses(() => readSize(text, 0));
  assert.throws(() => readSize('1 XB', 0), /must be a size such as/);
  const units = ['', 'B', 'k', 'kB', 'KiB', 'M', 'MB', 'MiB', 'G', 'GB', 'GiB', 'T', 'TB', 'TiB'];
  assert.deepEqual(
    units.map((unit) => readSize(`1${unit}`, 1)),
    [1, 1, 1024, 1000, 1024, 2 ** 20, 1e6, 2 ** 20, 2 ** 30, 1e9, 2 ** 30, 2 ** 40, 1e12, 2 ** 40],
  );
  assert.throws(() => readSize('99', 100), /must be at least 100 bytes/);
  for (const [text, bytes] of [
    ['100', 100],
    ['8MiB', 8_388_608],
    ['8 mib', 8_388_608],
    ['1M', 1_048_576],
    ['1MB', 1_000_000],
    ['500 kB', 500_000],
    ['1.5k', 1536],
    ['1.001 B', 1],
    ['2TiB', 2_199_023_255_552],
  ] as const)
    assert.equal(readSize(text, 0), bytes, text);
});

test('a time: a number and its unit', () => {
  for (const text of ['', '5', '5 years', '-1s', '1.5h', 's', '1H']) refuses(() => readDuration(text, 0));
  assert.throws(() => readDuration('59s', 60_000), /must be at least 60s/);
  assert.equal(readDuration('60s', 60_000), 60_000);
  assert.throws(() => readDuration('3651d', 0), /must be at most 3650d/);
  assert.throws(() => readDuration('169h', 0, 7), /must be at most 7d/);
  assert.equal(readDuration('168h', 0, 7), 604_800_000);
  assert.deepEqual(
    ['ms', 's', 'm', 'min', 'h', 'd', 'w'].map((unit) => readDuration(`1${unit}`, 0)),
    [1, 1000, 60_000, 60_000, 3_600_000, 86_400_000, 604_800_000],
  );
  for (const [text, ms] of [
    ['30s', 30_000],
    ['24h', 86_400_000],
    ['14d', 1_209_600_000],
    ['2w', 1_209_600_000],
    ['250 ms', 250],
    ['5m', 300_000],
    ['5min', 300_000],
    ['0s', 0],
  ] as const)
    assert.equal(readDuration(text, 0), ms, text);
});

test('a list of addresses is whole or empty', () => {
  assert.deepEqual(readAddressList('A@example.com, b@localhost'), ['a@example.com', 'b@localhost']);
  for (const text of ['', 'a@example.com,', 'a@example.com, nobody']) assert.deepEqual(readAddressList(text), []);
});

test('a time of day: hours and minutes', () => {
  for (const text of ['', '24:00', '2:60', '02:3', '0230']) refuses(() => readTimeOfDay(text));
  assert.deepEqual(['0:00', '02:30', '23:59'].map(readTimeOfDay), [0, 150, 1439]);
});

test('a folder in a bucket ends with a slash and has no parent segments', () => {
  for (const text of ['/a', 'a b', 'a//b', '..', 'a/../b', 'a'.repeat(201)]) refuses(() => readS3Prefix(text));
  assert.deepEqual(['a', 'a/', 'a/b', 'a..b'].map(readS3Prefix), ['a/', 'a/', 'a/b/', 'a..b/']);
  assert.equal(readS3Prefix('a'.repeat(200)).length, 201);
});

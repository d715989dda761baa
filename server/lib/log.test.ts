import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLog, type LogOptions } from './log.ts';

function pretty(t: TestContext, level: LogOptions['level']): string[] {
  const lines: string[] = [];
  const { mock } = t.mock.method(process.stdout, 'write', (text: string) => lines.push(text) > 0);
  const log = createLog({ level, format: 'pretty' });
  log.debug({}, 'looked');
  log.info({}, 'started');
  log.warn({ disk: '/srv', free: 3 }, 'nearly full');
  log.error({ why: { code: 5 } }, 'failed');
  mock.restore();
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
}

test('a line for people has time, level, sentence and facts', (t) => {
  assert.deepEqual(pretty(t, 'debug'), [
    'DEBUG looked\n',
    'started\n',
    'WARN nearly full  disk=/srv free=3\n',
    'ERROR failed  why={"code":5}\n',
  ]);
});

test('what is below the level is not written', (t) => {
  assert.deepEqual(pretty(t, 'warn').length, 2);
  assert.deepEqual(pretty(t, 'error').length, 1);
});

test('for programs every event is one JSON line, with control characters escaped', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) });
  log.debug({}, 'looked');
  log.warn({ name: 'a\nb' }, 'odd');
  assert.equal(lines.length, 1);
  assert.equal(lines[0]!.split('\n').length, 2);
  const { time, ...rest } = JSON.parse(lines[0]!);
  assert.deepEqual(rest, { level: 40, name: 'a\nb', msg: 'odd' });
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 3_600_000);
});

test('secrets in URLs are not logged', (t) => {
  const lines: string[] = [];
  const { mock } = t.mock.method(process.stdout, 'write', (text: string) => lines.push(text) > 0);
  const logs = [
    createLog({ level: 'info', format: 'pretty' }),
    createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) }),
  ];
  const id = 'Zk3pQ8a1bC2dE3fG4hI5jK';
  for (const log of logs)
    for (const place of ['/link/', '%2Fmessage%2F', '/share/requests/', '/dl/', '/notices/request-notices/', '/mail/'])
      log.warn({ err: `fetch https://files.example${place}${id}/x failed` }, `GET ${place}${id}?a=b`);
  mock.restore();
  assert.equal(lines.length, 12);
  for (const line of lines) {
    assert.ok(!line.includes(id), line);
    assert.equal(line.split('Zk3pQ8…').length, 3, line);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#test/kit/any-text.ts';
import { describeAgent } from './user-agent.ts';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64';

test('an absent or meaningless header gives empty fields', () => {
  for (const agent of [undefined, '', '   ', 'x', '💥', 'Mozilla/5.0']) {
    assert.deepEqual(describeAgent(agent), { browser: '', os: '', platform: '' }, String(agent));
  }
});

test('browsers are named with their main version, systems with theirs', () => {
  const table: [string, string, string, string][] = [
    [
      `${WINDOWS}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36`,
      'Chrome 124',
      'Windows 10',
      'desktop',
    ],
    [
      `${WINDOWS}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 Edg/124.0.2478.51`,
      'Microsoft Edge 124',
      'Windows 10',
      'desktop',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0', 'Firefox 125', 'Linux', 'desktop'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
      'Safari 17',
      'iOS 17.4',
      'mobile',
    ],
    [`${WINDOWS}) Frobnicator/3.1`, '', 'Windows 10', 'desktop'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot 2', '', 'bot'],
  ];
  for (const [agent, browser, os, platform] of table) assert.deepEqual(describeAgent(agent), { browser, os, platform });
});

test('command-line programs and mail clients are named', () => {
  const table: [string, string, string, string][] = [
    ['curl/8.5.0', 'curl 8', '', 'cli'],
    ['Wget/1.21.3', 'Wget 1', '', 'cli'],
    ['python-requests/2.31.0', 'Python Requests 2', '', 'cli'],
    ['node', 'Node.js', '', 'cli'],
    [
      'Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.19041',
      'PowerShell 5',
      'Windows NT',
      'cli',
    ],
    [`${WINDOWS}; rv:102.0) Gecko/20100101 Thunderbird/102.9.0`, 'Thunderbird 102', 'Windows 10', 'mail'],
    ['Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.5266; Pro)', 'Outlook 16', 'Windows 10', 'mail'],
  ];
  for (const [agent, browser, os, platform] of table) assert.deepEqual(describeAgent(agent), { browser, os, platform });
});

test('any header gives three short, printable fields', () => {
  const piece = fc.constantFrom(
    'Mozilla/5.0 ',
    '(',
    ')',
    'Chrome/',
    'Version/',
    ';',
    ' ',
    '1.',
    'Android ',
    '\u0000',
    '\ud800',
  );
  const hostile = fc.oneof(
    anyText(),
    fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }).map((parts) => parts.join('')),
    fc.constantFrom('('.repeat(5_000), ' '.repeat(5_000), 'Mozilla/5.0 ('.repeat(400), '1.'.repeat(3_000)),
  );
  fc.assert(
    fc.property(hostile, (agent) => {
      for (const field of Object.values(describeAgent(agent))) {
        assert.ok(field.length <= 80);
        assert.doesNotMatch(field, /\p{Cc}/u);
        assert.ok(field.isWellFormed());
      }
    }),
  );
});

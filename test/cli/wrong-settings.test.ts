// Wrong settings disable only what needs them, and the sentence names the file.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

function assertEnds(ran: Ran, code: number, words: RegExp): void {
  assert.equal(ran.code, code, `${ran.out}${ran.err}`);
  assert.match(ran.err, words);
}

onOneEngine('wrong settings', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  const folder = () => join(line.home, '.config', 'waybill');
  const file = () => join(folder(), 'config.toml');
  before(() => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(line.home, 'note.txt'), 'hello');
  });
  beforeEach(() => writeFileSync(file(), ''));

  const faults: [name: string, text: string, words: RegExp][] = [
    ['a line that is no TOML', 'server\n', /config\.toml, line 1: /],
    ['an unknown setting', 'colour = "red"\n', /config\.toml: there is no setting “colour”/],
    [
      'a server that is no address',
      '[profiles.default]\nserver = "ftp://x"\n',
      /config\.toml, server of profile default: /,
    ],
    [
      'a number for a text',
      '[profiles.default]\nserver = 5\n',
      /config\.toml: server of \[profiles\.default\] is a text/,
    ],
    [
      'a key file that is missing',
      '[profiles.default]\nserver = "https://x.example"\napi_key_file = "/nowhere/x.key"\n',
      /can’t read the API key in \/nowhere\/x\.key, named in .*config\.toml/,
    ],
  ];
  for (const [name, text, words] of faults) {
    test(`${name}: other commands name the file`, async () => {
      writeFileSync(file(), text);
      const ran = await line.run(['list']);
      assert.ok(ran.code === 1 || ran.code === 2 || ran.code === 3, ran.err);
      assert.match(ran.err, words);
    });

    test(`${name}: config, doctor, --server and login work`, async () => {
      writeFileSync(file(), text);
      assertEnds(await line.run(['config', 'list']), 0, words);
      assertEnds(await line.run(['config', 'path']), 0, words);
      assert.match((await line.run(['doctor'])).out, words);
      const env = { WAYBILL_API_KEY: ann.key! };
      assert.equal((await line.run(['--server', app.url, 'whoami'], { env })).code, 0);
      const login = await line.run(['login', app.url, '--api-key-stdin'], { stdin: `${ann.key}\n` });
      assert.equal(login.code, 0, login.err);
      assert.equal((await line.run(['whoami'])).code, 0);
    });
  }

  test('are kept in a copy when the file is written again', async () => {
    writeFileSync(file(), 'colour = "red"\n');
    const ran = await line.run(['config', 'set', 'send.expires', '14d']);
    assertEnds(ran, 0, /wrong settings were removed; the file as it was is .*config\.toml\.old/);
    assert.equal(readFileSync(`${file()}.old`, 'utf8'), 'colour = "red"\n');
    assert.equal((await line.run(['config', 'get', 'send.expires'])).err, '');
  });

  test('of one command disable that command alone, unless a flag replaces them', async () => {
    writeFileSync(file(), '[send]\nwho = "everyone"\n');
    const env = asPerson(app, ann);
    const send = ['-q', 'send', 'note.txt', '--to', 'ben@x.example'];
    assertEnds(await line.run(send, { env }), 2, /config\.toml, who of \[send\]: --who is one of/);
    assert.equal((await line.run([...send, '--who', 'recipients'], { env })).code, 0);
    assert.equal((await line.run(['-q', 'link', 'note.txt'], { env })).code, 0);
  });

  const refused: [name: string, value: string, words: RegExp][] = [
    ['server', 'ftp://x', /server: “ftp:\/\/x” is not the address of a server/],
    ['send.expires', 'soon', /send\.expires: “soon” is not a date/],
    ['send.who', 'everyone', /send\.who: --who is one of/],
    ['default_profile', 'work', /default_profile: there is no profile “work”/],
    ['api_key_file', 'nothing.key', /api_key_file: can’t read the API key/],
    ['cacert', 'nothing.pem', /cacert: can’t read the certificates/],
    ['send.colour', 'red', /there is no setting “send\.colour”\nKnown: .*send\.who/],
  ];
  for (const [name, value, words] of refused)
    test(`config set ${name} refuses ${value}`, async () => {
      const ran = await line.run(['config', 'set', name, value]);
      assert.notEqual(ran.code, 0);
      assert.match(ran.err, words);
      assert.equal(readFileSync(file(), 'utf8'), '');
    });

  test('config set accepts a key file and stores where it is', async () => {
    writeFileSync(join(line.home, 'work.key'), 'key\n');
    chmodSync(join(line.home, 'work.key'), 0o600);
    assert.equal((await line.run(['config', 'set', 'api_key_file', 'work.key'])).code, 0);
    assert.equal((await line.run(['config', 'get', 'api_key_file'])).out, `${join(line.home, 'work.key')}\n`);
    assert.ok(!existsSync(`${file()}.new`));
  });
});

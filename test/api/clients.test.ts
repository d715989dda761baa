// Rules of existing clients, with requests written byte by byte. Rules 13, 14 and 16 to 19 are tested with messages.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { problem } from '#contract/problems.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { samples, sha256Of, someBytes } from '#test/kit/content.ts';
import { linkTo, newLink } from '#test/kit/links.ts';
import { ask, basic, chunked, dial, head, type RawReply } from '#test/kit/raw-http.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const plainId = /^[A-Za-z0-9]{22}$/;
const json = 'Content-Type: application/json';
const run = promisify(execFile);
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

onOneEngine('Existing clients', (start) => {
  const app = useApp(start);
  const alice = usePerson(app, 'alice');

  const upload = (target: string, headers: string[], body: string | Uint8Array): Promise<RawReply> =>
    ask(app.url, `POST ${target}`, [basic(alice.key), ...headers], body);

  const attachmentIn = (reply: RawReply) => {
    assert.equal(reply.status, 200, reply.text);
    return wireForm(attachmentAnswer.strict(), reply.body).attachment;
  };

  const post = (target: string, body: unknown, headers: string[] = []): Promise<RawReply> => {
    const text = JSON.stringify(body);
    const all = [basic(alice.key), json, 'Accept: */*', `Content-Length: ${Buffer.byteLength(text)}`, ...headers];
    return ask(app.url, `POST ${target}`, all, text);
  };

  describe('the API key is accepted as Basic user name with password x, with an empty password, and as Bearer', () => {
    test('in each of these forms, whatever the case of the scheme', async () => {
      const key = alice.key!;
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      for (const value of [
        `Basic ${base64(`${key}:x`)}`,
        `Basic ${base64(`${key}:`)}`,
        `Basic ${base64(`${key}:any: thing`)}`,
        `basic ${base64(`${key}:x`)}`,
        `Bearer ${key}`,
        `bearer ${key}`,
      ])
        assert.equal((await ask(app.url, 'GET /account', [`Authorization: ${value}`, json])).status, 200, value);
    });

    test('anything else is a 401, and so are two credentials together', async () => {
      for (const lines of [
        [],
        ['Authorization: Bearer'],
        ['Authorization: Basic !!!'],
        [`Authorization: Digest ${alice.key}`],
        [`Authorization: ${alice.key}`],
        [basic('x', alice.key!)],
        [basic(alice.key), basic(alice.key)],
      ])
        assert.equal((await ask(app.url, 'GET /account', [...lines, json])).status, 401, lines.join());
    });
  });

  test('a request is an API call by Accept, by Content-Type even on GET and DELETE, or without any Accept', async () => {
    const { id } = await newLink(alice);
    const page = await ask(app.url, `GET /link/${id}`, ['Accept: text/html,*/*;q=0.8']);
    assert.match(page.headers.get('content-type')!, /^text\/html/);
    for (const lines of [
      ['Accept: application/json'],
      ['Accept: text/html, application/json'],
      ['Accept: */*', json],
      ['Accept: */*', `${json}; charset=utf-8`],
      [],
      [json],
    ]) {
      const stranger = await ask(app.url, `GET /link/${id}`, lines);
      assert.equal(stranger.status, 401, lines.join());
      problem.strict().parse(stranger.body);
      const owner = await ask(app.url, `GET /link/${id}`, [basic(alice.key), ...lines]);
      assert.equal(wireForm(fileLinkAnswer, owner.body).link.id, id);
    }
    const withKey = await ask(app.url, `GET /link/${id}`, [basic(alice.key), 'Accept: */*']);
    assert.equal(wireForm(fileLinkAnswer, withKey.body).link.id, id);
    const deleted = await ask(app.url, `DELETE /link/${id}`, [basic(alice.key), 'Accept: */*', json]);
    assert.equal(deleted.status, 200);
  });

  test('on upload paths the body is never parsed, whatever Content-Type says', async () => {
    for (const target of ['/link/attachments/upload', '/message/attachments/upload', '/attachments/binary_upload'])
      for (const type of [
        json,
        'Content-Type: application/octet-stream',
        'Content-Type: application/x-www-form-urlencoded',
        'Content-Type: image/png',
      ]) {
        const file = attachmentIn(
          await upload(`${target}?filename=a.png`, [type, `Content-Length: ${samples.png.length}`], samples.png),
        );
        assert.equal(file.content_type, 'image/png');
        assert.equal(file.checksum, sha256Of(samples.png));
      }
  });

  describe('a form with one file stores that file, never the envelope', () => {
    const type = 'Content-Type: multipart/form-data; boundary=XX';
    const octets = 'Content-Type: application/octet-stream';
    const file = (name: string, bytes: Uint8Array) =>
      Buffer.concat([
        Buffer.from(
          `--XX\r\nContent-Disposition: form-data; name="${name}"; filename="local.png"\r\n${octets}\r\n\r\n`,
        ),
        bytes,
        Buffer.from('\r\n'),
      ]);
    const send = (target: string, ...parts: Uint8Array[]) => {
      const body = Buffer.concat([...parts, Buffer.from('--XX--\r\n')]);
      return upload(target, [type, `Content-Length: ${body.length}`], body);
    };

    test('on every upload path, under the name in the address or its own', async () => {
      for (const target of ['/link/attachments/upload', '/message/attachments/upload', '/attachments/binary_upload'])
        for (const [query, name] of [
          ['?filename=said.png', 'said.png'],
          ['', 'local.png'],
        ]) {
          const stored = attachmentIn(await send(`${target}${query}`, file('file', samples.png)));
          assert.deepEqual(
            [stored.filename, stored.content_type, stored.checksum],
            [name, 'image/png', sha256Of(samples.png)],
          );
        }
    });

    test('in chunks too', async () => {
      const target = (chunk: number) => `/message/attachments/upload?filename=f.bin&chunk=${chunk}&chunks=2`;
      assert.equal((await send(target(0), file('file', Buffer.from('a')))).text, '');
      assert.equal(attachmentIn(await send(target(1), file('file', Buffer.from('b')))).checksum, sha256Of('ab'));
    });

    test('two files, or none, are refused', async () => {
      const target = '/message/attachments/upload?filename=a.png';
      const two = await send(target, file('a', samples.png), file('b', samples.png));
      assert.deepEqual([two.status, (two.body as { code: string }).code], [422, 'attachment.one_file']);
      const none = await send(target);
      assert.deepEqual([none.status, (none.body as { code: string }).code], [422, 'attachment.no_file']);
    });
  });

  test('Transfer-Encoding: chunked is accepted without Content-Length', async () => {
    const bytes = someBytes(100_000);
    const chunks = [bytes.subarray(0, 16_372), bytes.subarray(16_372, 65_000), bytes.subarray(65_000)];
    const reply = await upload(
      '/message/attachments/upload?filename=a.bin',
      [json, 'Transfer-Encoding: chunked'],
      chunked(...chunks),
    );
    assert.equal(attachmentIn(reply).checksum, sha256Of(bytes));
  });

  test('the absolute form of the request target is accepted', async () => {
    for (const base of [app.url, app.url.replace('http', 'HTTP')]) {
      const file = attachmentIn(
        await upload(`${base}/message/attachments/upload?filename=a.txt`, [json, 'Content-Length: 1'], 'x'),
      );
      const reply = await post(`${base}/link`, { link: { attachment: file.id } });
      const { link } = wireForm(fileLinkAnswer, reply.body);
      assert.equal(link.url, `${app.url}/link/${link.id}`);
      assert.equal((await ask(app.url, `DELETE ${base}/link/${link.id}`, [basic(alice.key), json])).status, 200);
      assert.equal((await ask(app.url, `GET ${base}/account`, [basic(alice.key), json])).status, 200);
    }
  });

  test('the authority of the absolute form counts, not the Host header', async () => {
    const foreign = await ask(app.url, 'GET http://elsewhere.example/account', [basic(alice.key), json]);
    assert.equal(foreign.status, 421);
    const line = await dial(app.url);
    await line.write(
      `GET ${app.url}/account HTTP/1.1\r\nHost: elsewhere.example\r\n${basic(alice.key)}\r\n${json}\r\n\r\n`,
    );
    assert.equal((await line.reply()).status, 200);
    line.cut();
  });

  test('JSON is compact, and the id is the first key of an attachment and a link', async () => {
    const uploaded = await upload('/link/attachments/upload?filename=a.txt', ['Content-Length: 1'], 'x');
    assert.match(uploaded.text, /^\{"attachment":\{"id":"[A-Za-z0-9]{22}","/);
    const created = await post('/link', { link: { attachment: attachmentIn(uploaded).id } });
    assert.match(created.text, /^\{"link":\{"id":"[A-Za-z0-9]{22}","/);
    const listed = await ask(app.url, 'GET /link', [basic(alice.key), json]);
    assert.match(listed.text, /^\{"links":\[\{"id":"[A-Za-z0-9]{22}","/);
    const files = await ask(app.url, 'GET /attachments', [basic(alice.key), json]);
    assert.match(files.text, /^\{"attachments":\[\{"id":"[A-Za-z0-9]{22}","/);
    for (const { text, headers } of [uploaded, created, listed, files]) {
      assert.equal(text, JSON.stringify(JSON.parse(text)));
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    }
  });

  test('a successful DELETE of a link answers 200 with an empty body', async () => {
    const { id } = await newLink(alice);
    const reply = await ask(app.url, `DELETE /link/${id}`, [basic(alice.key), json, 'Accept: */*']);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-length'), '0');
    const again = await ask(app.url, `DELETE /link/${id}`, [basic(alice.key), json]);
    assert.equal(again.status, 404);
  });

  test('a chunk that does not complete the file answers 200 with an empty body', async () => {
    const target = (chunk: number) => `/message/attachments/upload?filename=c.bin&chunk=${chunk}&chunks=3`;
    for (const chunk of [0, 1]) {
      const reply = await upload(target(chunk), [json, 'Content-Length: 3'], `p-${chunk}`);
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('content-length'), '0');
    }
    assert.equal(
      attachmentIn(await upload(target(2), [json, 'Content-Length: 3'], 'p-2')).checksum,
      sha256Of('p-0p-1p-2'),
    );
  });

  test('every 4xx has a JSON object with the key errors, an array of strings', async () => {
    const key = basic(alice.key);
    const { host } = new URL(app.url);
    const refusals: [number, string][] = [
      [401, head(app.url, 'GET /account', [])],
      [404, head(app.url, 'GET /link/NoSuchLinkNoSuchLinkNo', [key])],
      [404, head(app.url, 'GET /no/such/path', [key])],
      [404, head(app.url, 'GET /link/%zz', [key])],
      [405, head(app.url, 'PATCH /account', [key])],
      [415, `${head(app.url, 'POST /login', ['Content-Type: text/plain', 'Content-Length: 1'])}x`],
      [421, `GET /account HTTP/1.1\r\nHost: elsewhere.example\r\n${key}\r\n\r\n`],
      [422, head(app.url, 'POST /link/attachments/upload', [key, 'Content-Length: 0'])],
      [422, `${head(app.url, 'POST /link', [key, json, 'Content-Length: 1'])}{`],
      [413, head(app.url, 'POST /link', [key, json, 'Content-Length: 999999'])],
      [400, `GET /account HTTP/1.1\r\nHost: ${host}\r\nno colon here\r\n\r\n`],
      [400, `GET /account HTTP/1.1\r\n${key}\r\n\r\n`],
      [431, head(app.url, 'GET /account', [key, `X-Long: ${'x'.repeat(20_000)}`])],
    ];
    for (const [status, request] of refusals) {
      const line = await dial(app.url);
      await line.write(request);
      const reply = await line.reply();
      line.cut();
      assert.equal(reply.status, status, `${request.slice(0, 60)}: ${reply.text}`);
      assert.notEqual(reply.body, null, `${status} without a body`);
      const { errors } = problem.strict().parse(reply.body);
      for (const sentence of errors) assert.match(sentence, /^[A-Z].*[.]$/, sentence);
    }
  });

  test('ids and keys are 22 plain letters and digits', async () => {
    assert.match(alice.key!, plainId);
    const reply = await upload('/link/attachments/upload?filename=p.bin&chunk=0&chunks=2', ['Content-Length: 1'], 'x');
    assert.match(reply.headers.get('upload-id')!, plainId);
    const link = await newLink(alice);
    assert.match(link.id, plainId);
    const { body } = await alice.expect(200, 'listAttachments');
    for (const { id } of (body as { attachments: { id: string }[] }).attachments) assert.match(id, plainId);
  });

  test('the URL of a FileLink ends in its id, and that id can be deleted', async () => {
    const { url } = await newLink(alice);
    const id = url.slice(url.lastIndexOf('/') + 1);
    assert.equal((await ask(app.url, `DELETE /link/${id}`, [basic(alice.key), json])).status, 200);
  });

  test('a file uploaded for messages can be used in a FileLink', async () => {
    const file = attachmentIn(
      await upload('/message/attachments/upload?filename=a.txt', [json, 'Content-Length: 1'], 'x'),
    );
    const reply = await post('/link', { link: { attachment: file.id } });
    assert.equal(wireForm(fileLinkAnswer, reply.body).link.filename, 'a.txt');
  });

  test('booleans may be strings', async () => {
    const { id } = await alice.upload('a.txt', 'x');
    const reply = await post('/link', {
      link: { attachment: id, download_receipt: 'false', require_authentication: 'true' },
    });
    const { link } = wireForm(fileLinkAnswer, reply.body);
    assert.deepEqual([link.send_download_confirmation, link.require_authentication], [false, true]);
  });

  describe('no answer holds an escaped quote', () => {
    test('neither the HTML of a sent message', async () => {
      const body = {
        subject: 'A "quoted" subject',
        message: 'He said "no"',
        recipients: ['bob@example.com'],
        send_email: false,
      };
      const { status, text, body: answer } = await post('/message', { message: body });
      assert.equal(status, 200, text);
      const { html } = (answer as { message: { html: string } }).message;
      assert.match(html, /^<div lang='en'/);
      assert.doesNotMatch(html, /"/);
    });

    test('nor a text that a person wrote', async () => {
      const message = { subject: 'A "quoted" \\" subject', message: 'She said "yes"', recipients: ['bob@example.com'] };
      const { text, body } = await post('/message', { message: { ...message, send_email: false } });
      const { id, plain } = (body as { message: { id: string; plain: string } }).message;
      assert.match(plain, /"yes"/);
      const answers = [text];
      for (const path of [`/message/${id}`, '/messages/sent'])
        answers.push((await ask(app.url, `GET ${path}`, [basic(alice.key), json])).text ?? '');
      for (const answer of answers) assert.doesNotMatch(answer.replaceAll('\\\\', ''), /\\"/);
      assert.ok(answers[1]!.includes('A \\u0022quoted\\u0022 \\\\\\u0022 subject'), answers[1]!);
      assert.equal((JSON.parse(answers[1]!) as { message: { subject: string } }).message.subject, message.subject);
    });

    test('nor the sentence of a refusal', async () => {
      const { status, body } = await upload(
        '/message/attachments/upload?filename=a.txt&chunks=2&chunk=2',
        ['Content-Length: 1'],
        'a',
      );
      assert.equal(status, 422);
      assert.deepEqual((body as { errors: string[] }).errors, [
        'The parameter “chunk” counts from 0 and must be less than “chunks”.',
      ]);
    });
  });

  describe('extra slashes change nothing', () => {
    test('in front, and at the end', async () => {
      for (const path of ['//account', '/account/', '///account//', '/account/?a=b'])
        assert.equal((await ask(app.url, `GET ${path}`, [basic(alice.key), json])).status, 200, path);
    });

    test('also where a file is uploaded', async () => {
      attachmentIn(await upload('//message/attachments/upload/?filename=a.txt', ['Content-Length: 1'], 'a'));
    });
  });

  describe('the Filedrop of the first command line', () => {
    test('uploads with the key of the drop to POST /attachments, and submits with an empty Basic header', async () => {
      const { body: account } = await alice.expect(200, 'getAccount');
      const drop = new URL((account as { user: { filedrop_url: string } }).user.filedrop_url).pathname;
      const page = await ask(app.url, `GET ${drop}`, ['Accept: application/json']);
      const { api_key: key } = (page.body as { filedrop: { api_key: string } }).filedrop;
      const form = Buffer.from(
        '--XX\r\nContent-Disposition: form-data; name="Filedata"; filename="a.txt"\r\n\r\nhello\r\n--XX--\r\n',
      );
      const headers = ['Content-Type: multipart/form-data; boundary=XX', `Content-Length: ${form.length}`];
      const uploaded = await ask(app.url, 'POST /attachments', [basic(key), ...headers], form);
      assert.equal(uploaded.status, 200, uploaded.text);
      assert.match(uploaded.text, plainId);
      // The key of the drop page is accepted nowhere else.
      assert.equal((await ask(app.url, 'GET /attachments', [basic(key), json])).status, 401);
      const message = JSON.stringify({
        message: { from: 'sam@example.com', subject: 'S', message: 'M', attachments: [uploaded.text] },
      });
      const submit = (authorization: string) =>
        ask(app.url, `POST ${drop}`, [authorization, json, `Content-Length: ${message.length}`], message);
      assert.equal((await submit('Authorization: Basic Og==')).status, 200);
      assert.equal((await ask(app.url, 'POST /attachments', [basic(key), ...headers], form)).status, 401);
    });

    test('an empty header is no credential, and no wrong one either', async () => {
      for (let count = 0; count < 30; count++)
        assert.equal((await ask(app.url, 'GET /account', ['Authorization: Basic Og==', json])).status, 401);
      assert.equal((await ask(app.url, 'GET /account', [basic(alice.key), json])).status, 200);
    });
  });

  describe('What programs receive', () => {
    test('a 401 says how to sign in, and never makes a browser open a password prompt', async () => {
      const program = await ask(app.url, 'GET /account', [basic('wrong'), json]);
      assert.equal(program.status, 401);
      assert.match(program.headers.get('www-authenticate') ?? '', /^Basic realm="Waybill".*Bearer$/);
      const browser = await ask(app.url, 'GET /account', [basic('wrong'), json, 'Sec-Fetch-Mode: cors']);
      assert.equal(browser.status, 401);
      assert.equal(browser.headers.get('www-authenticate'), null);
    });

    test('two Host headers are refused', async () => {
      const { host } = new URL(app.url);
      const reply = await ask(app.url, 'GET /account', [basic(alice.key), json, `Host: ${host}`]);
      assert.equal(reply.status, 400);
    });

    test('a file name that is not percent-encoded is refused with what to do', async () => {
      const path = '/link/attachments/upload?filename=café.txt';
      const reply = await ask(app.url, `POST ${path}`, [basic(alice.key), 'Content-Length: 1'], 'x');
      assert.equal(reply.status, 400);
      assert.match(reply.text, /Percent-encode/);
    });

    test('a body that is no JSON is reported once, and half a surrogate pair by its field', async () => {
      const refused = async (text: string, target = '/link') => {
        const headers = [basic(alice.key), json, `Content-Length: ${Buffer.byteLength(text)}`];
        const reply = await ask(app.url, `POST ${target}`, headers, text);
        assert.equal(reply.status, 422);
        return (reply.body as { errors: string[] }).errors;
      };
      assert.deepEqual(await refused('{nonsense'), ['The body is not valid JSON.']);
      assert.deepEqual(await refused('{"link":{"attachment":"\\ud800"}}'), [
        'The JSON holds half of a character (a lone surrogate).',
      ]);
      // A message is read as a stream, and refused with the same sentence.
      assert.deepEqual(await refused('{"message":nonsense', '/message'), ['The body is not valid JSON.']);
      assert.deepEqual(await refused('{"message":{"subject":"\\ud800"}}', '/message'), [
        'The JSON holds half of a character (a lone surrogate).',
      ]);
    });

    test('a name that is not percent-encoded is refused with how to encode it', async () => {
      const reply = await upload('/message/attachments/upload?filename=100%.txt', ['Content-Length: 1'], 'a');
      assert.equal(reply.status, 422);
      assert.match((reply.body as { errors: string[] }).errors[0]!, /Percent-encode it as UTF-8/);
    });
  });

  describe('a failed upload can be read by the client', () => {
    const size = 3 * 1024 * 1024;
    const target = 'POST /message/attachments/upload?filename=a.bin';

    test('when the client waits for 100 Continue, it gets a refusal or 100 Continue', async () => {
      const expecting = ['Expect: 100-continue', `Content-Length: ${size}`];
      assert.equal((await ask(app.url, target, [basic('wrong'), ...expecting])).status, 401);
      const line = await dial(app.url);
      await line.write(head(app.url, target, [basic(alice.key), ...expecting]));
      assert.equal((await line.reply()).status, 100);
      await line.write(someBytes(size));
      assert.equal((await line.reply()).status, 200);
      line.cut();
    });

    test('when the client sends everything without waiting', async () => {
      for (const framing of [`Content-Length: ${size}`, 'Transfer-Encoding: chunked']) {
        const line = await dial(app.url);
        await line.write(head(app.url, target, [basic('wrong'), framing]));
        void line.write(framing.startsWith('T') ? chunked(someBytes(size)) : someBytes(size));
        const reply = await line.reply();
        line.cut();
        assert.equal(reply.status, 401);
        problem.strict().parse(reply.body);
      }
    });

    test('when the body is small, the connection serves the next request', async () => {
      const line = await dial(app.url);
      for (let round = 0; round < 2; round++) {
        await line.write(
          `${head(app.url, `${target.replace('bin', 'exe')}`, [basic(alice.key), 'Content-Length: 5'])}hello`,
        );
        assert.equal((await line.reply()).status, 422);
      }
      await line.write(head(app.url, 'GET /account', [basic(alice.key)]));
      assert.equal((await line.reply()).status, 200);
      line.cut();
    });
  });

  describe('curl, as scripts use it', { skip: !hasCurl && 'there is no curl on this machine' }, () => {
    const curl = async (key: string, ...args: string[]): Promise<{ status: number; text: string }> => {
      const common = ['-sS', '--max-time', '20', '--user', `${key}:x`, '-w', '\n%{http_code}'];
      const child = run('curl', [...common, ...args], { maxBuffer: 1024 * 1024 });
      child.child.stdin?.end(Buffer.from(someBytes(2_000_000)));
      const { stdout } = await child;
      const end = stdout.lastIndexOf('\n');
      return { status: Number(stdout.slice(end + 1)), text: stdout.slice(0, end) };
    };
    const where = () => `${app.url}/message/attachments/upload?filename=a.bin`;

    test('--data-binary uploads what it reads', async () => {
      const { status, text } = await curl(alice.key!, '-X', 'POST', '-H', json, '--data-binary', '@-', where());
      assert.equal(status, 200, text);
      assert.equal(JSON.parse(text).attachment.checksum, sha256Of(someBytes(2_000_000)));
    });

    test('--upload-file uploads a stream without a length', async () => {
      const { status, text } = await curl(alice.key!, '-X', 'POST', '-H', json, '--upload-file', '-', where());
      assert.equal(status, 200, text);
      assert.equal(JSON.parse(text).attachment.size, 2_000_000);
    });

    test('--form uploads a form and gets the bare id', async () => {
      const { status, text } = await curl(alice.key!, '-F', 'Filedata=@-;filename=a.bin', `${app.url}/attachments`);
      assert.equal(status, 200, text);
      assert.match(text, plainId);
    });

    test('--form to an upload path stores the file', async () => {
      const { status, text } = await curl(alice.key!, '-F', 'file=@-;filename=local.bin', where());
      assert.equal(status, 200, text);
      assert.equal(JSON.parse(text).attachment.checksum, sha256Of(someBytes(2_000_000)));
      assert.equal(JSON.parse(text).attachment.filename, 'a.bin');
    });

    test('the line for scripts downloads the file of a link under its name', async () => {
      const { url } = await linkTo(alice, (await alice.upload('Harbour plan.bin', 'the bytes')).id);
      const folder = await mkdtemp(join(tmpdir(), 'waybill-curl-'));
      try {
        await run('curl', ['-sS', '-LOJ', '-d', '', `${url}/download`], { cwd: folder });
        const [name] = await readdir(folder);
        assert.match(name!, /^Harbour[ _]plan\.bin$/);
        assert.equal(await readFile(join(folder, name!), 'utf8'), 'the bytes');
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test('a wrong key is refused with its reason, with and without Expect: 100-continue', async () => {
      for (const expect of ['Expect:', 'Expect: 100-continue']) {
        const { status, text } = await curl('wrong', '-H', expect, '--data-binary', '@-', where());
        assert.equal(status, 401);
        problem.strict().parse(JSON.parse(text));
      }
    });
  });
});

// Reads the note in a PDF as docs/trust/evidence.md specifies it, without code of the service or of the verifier.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { rotateKey } from '#server/actions/evidence/keys.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const { subtle } = globalThis.crypto;

/** The JSON inside, or null if the note is not one of these keys over these bytes. */
async function readSigned(pdf: Buffer<ArrayBuffer>, keys: string[]): Promise<{ receipt?: { id: string } } | null> {
  const text = pdf.toString('latin1');
  const end = text.lastIndexOf('\n%waybill-note ');
  const tail = /^\n%waybill-note ([A-Za-z0-9+/]+=*)\nstartxref\n(\d+)\n%%EOF\n$/.exec(text.slice(end));
  if (tail === null || !text.slice(0, end).endsWith(`startxref\n${tail[2]}\n%%EOF\n`)) return null;
  const note = Buffer.from(tail[1]!, 'base64').toString('utf8');
  const parts = /^(waybill file\n([^\n]+)\n([^\n]+)\n)\n— (\S+) (\S+)\n$/u.exec(note);
  if (parts === null) return null;
  const [, signed, id, digest, name, encoded] = parts;
  const body = pdf.subarray(0, end);
  if (Buffer.from(await subtle.digest('SHA-256', body)).toString('base64') !== digest) return null;
  const signature = Buffer.from(encoded!, 'base64');
  const key = keys
    .map((each) => each.split('+'))
    .find((each) => each[0] === name && Buffer.from(each[1]!, 'hex').equals(signature.subarray(0, 4)));
  if (key === undefined) return null;
  const bytes = Buffer.from(key.slice(2).join('+'), 'base64').subarray(1);
  const imported = await subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  if (!(await subtle.verify('Ed25519', imported, signature.subarray(4), Buffer.from(signed!)))) return null;
  const object = text.indexOf('/Type /EmbeddedFile');
  const start = text.indexOf('stream\n', object);
  const dictionary = text.slice(object, start);
  const data = body.subarray(start + 7, start + 7 + Number(/\/Length (\d+)/.exec(dictionary)![1]));
  const json = JSON.parse(String(dictionary.includes('/FlateDecode') ? inflateSync(data) : data));
  return (json.receipt ?? json.statement).id === id ? json : null;
}

onOneEngine('the note in a PDF', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const keys = async () => {
    const { body } = await app.admin.expect(200, 'listEvidenceKeys', {});
    return (body as { keys: { key: string }[] }).keys.map(({ key }) => key);
  };

  test('is read by a second program from its specification, also after a rotation of the key, and covers every byte', async () => {
    const alice = await newPerson(app, 'alice');
    const { linkId } = await share(alice, { bytes: 40 });
    await sealAll(app.app.ctx);
    const receipt = async () => {
      const reply = await fetch(`${app.url}/link/${linkId}/receipt?format=pdf`, {
        headers: { authorization: `Bearer ${alice.key}` },
      });
      return Buffer.from(await reply.arrayBuffer());
    };
    const before = await receipt();
    await rotateKey(app.app.ctx);
    await sealAll(app.app.ctx);
    const after = await receipt();
    const known = await keys();
    assert.equal(known.length, 2);
    for (const pdf of [before, after]) assert.equal((await readSigned(pdf, known))?.receipt?.id, linkId);
    assert.equal(await readSigned(after, known.slice(0, 1)), null, 'the new key signed it');
    for (let at = 0; at < after.length; at += 97) {
      const changed = Buffer.from(after);
      changed[at]! ^= 1;
      assert.equal(await readSigned(changed, known), null, `byte ${at}`);
    }
  });
});

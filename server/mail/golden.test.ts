// `node server/mail/golden.test.ts --write` renews the files.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { frame, kindNames, makeFiles, renderAny, sampleOf } from '#test/kit/mail-payloads.ts';
import { mailKinds } from './kinds/all.ts';
import { type RenderedMail, renderEmbeddable } from './render.ts';

const folder = join(import.meta.dirname, '..', '..', 'test', 'golden', 'mail');
const isWriting = process.argv.includes('--write');

const texts = new Map(kindNames.map((kind) => [kind as string, whole(renderAny(kind, sampleOf(kind)))]));
texts.set('message-many-files', whole(renderAny('message', { ...sampleOf('message'), files: makeFiles(50) })));
texts.set('message-text-only', whole(renderAny('message', { ...sampleOf('message'), files: [] })));
texts.set('message-embedded', renderEmbeddable(mailKinds.message.sample, frame).plain);
texts.set('receipt-grouped', whole(renderAny('receipt', { ...sampleOf('receipt'), downloads: groupedDownloads() })));

describe('the plain text of mails', () => {
  it('has exactly one golden file per mail', () => {
    if (isWriting) for (const [name, text] of texts) write(name, text);
    assert.deepEqual(readdirSync(folder).toSorted(), [...texts.keys()].map((name) => `${name}.txt`).toSorted());
  });

  for (const [name, text] of texts) {
    it(`${name} is unchanged`, () => assert.equal(text, readFileSync(join(folder, `${name}.txt`), 'utf8')));
  }
});

function write(name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.txt`), text);
}

function whole(mail: RenderedMail): string {
  const headers = Object.entries(mail.headers).map(([name, value]) => `${name}: ${value}\n`);
  const head = `From: ${mail.fromName}\nReply-To: the ${mail.replyTo}\nSubject: ${mail.subject}\n${headers.join('')}`;
  return `${head}\n${mail.text}`;
}

function groupedDownloads(): object[] {
  const first = mailKinds.receipt.sample.downloads[0]!;
  return [
    first,
    { ...first, fileName: 'Model-and-textures.zip', at: first.at + 60_000 },
    { ...first, who: null, fileName: 'Harbour-sections-rev-C.pdf', place: null, device: null, at: first.at + 120_000 },
    { ...first, who: 'dana@harbour.example', place: 'Malmö, Sweden', device: null, at: first.at + 180_000 },
  ];
}

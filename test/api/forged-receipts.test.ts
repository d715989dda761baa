// Receipts that the service's own key signed with other facts than its log has: the verifier finds each of them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import type { receiptAnswer } from '#contract/receipts.ts';
import { openSigner, signDocument } from '#server/actions/receipts/signing.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

type Receipt = z.input<typeof receiptAnswer>;
type Download = Receipt['receipt']['downloads'][number];
const verifier = pathToFileURL(join(import.meta.dirname, '../../tools/verify/verify.mjs')).href;

onOneEngine('A receipt signed with false facts', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let check: (bytes: Buffer) => { fault: string | null; proves: string[] };
  let alice: ApiClient;
  let id: string;

  before(async () => {
    ({ check } = await import(verifier));
    const ben = await newPerson(app, 'ben');
    alice = await newPerson(app, 'alice');
    const file = await alice.upload('plan.txt', 'z'.repeat(2500), 'uploadForMessage');
    ({ id } = await sendMessage(alice, { recipients: [ben.email], attachments: [file.id] }));
    const path = await fileUrlOf(ben, id);
    for (const range of ['0-99', '50-199']) await ben.fetch(path, { headers: { range: `bytes=${range}` } });
    await untilDownloadsEnd(app);
    app.clock.advance(60_000);
    await app.app.jobs.runOnce('seal-events');
  });

  /** Signs again after a change. */
  async function forge(change: (receipt: Receipt['receipt']) => void) {
    const { body } = await alice.expect(200, 'getMessageReceipt', { params: { id } });
    const { receipt, events, keys } = structuredClone(body as Receipt);
    change(receipt);
    const document = { receipt, events, keys };
    const signer = await openSigner(app.app.ctx);
    const note = signDocument(signer, { label: 'receipt', id, text: JSON.stringify(document) });
    return check(Buffer.from(JSON.stringify({ ...document, note })));
  }

  test('is accepted only without a change', async () => {
    const { fault, proves } = await forge(() => {});
    assert.equal(fault, null);
    assert.ok(proves.some((line) => line.startsWith('Each listed download has its events')));
  });

  const inDownload = (change: (download: Download) => unknown) => (receipt: Receipt['receipt']) =>
    change(receipt.downloads[0]!);
  for (const [name, change, fault] of [
    [
      'another network address',
      inDownload((one) => Object.assign(one, { ip: '192.0.2.1' })),
      /network address of the download/,
    ],
    ['fewer bytes', inDownload((one) => Object.assign(one, { bytes: 100 })), /bytes left/],
    ['more bytes', inDownload((one) => Object.assign(one, { bytes: 2500 })), /bytes left/],
    [
      'bytes without an event',
      inDownload((one) => Object.assign(one, { bytes: 300, bytes_event: null })),
      /no event says how many bytes/,
    ],
    [
      'another end',
      inDownload((one) => Object.assign(one, { ended_at: '2026-11-17T09:00:00.000Z' })),
      /the end of the download/,
    ],
    ['a line without its event', inDownload((one) => Object.assign(one, { event: null })), /has no event/],
    [
      'a download left out',
      (receipt: Receipt['receipt']) => void receipt.downloads.pop(),
      /is in the log and not listed/,
    ],
    ['another person', inDownload((one) => Object.assign(one, { to: 'eve@x.example' })), /who downloaded/],
    [
      'an invented witness',
      (receipt: Receipt['receipt']) => void receipt.checkpoints[0]!.witnesses.push({ name: 'w', at: receipt.made_at }),
      /witnesses of the checkpoint/,
    ],
  ] as const)
    test(`that has ${name} is called changed`, async () => {
      assert.match((await forge(change)).fault ?? 'no fault', fault);
    });
});

// Statements about exposure over random histories: messages, links, downloads of whole files and of parts, ends, and time
// that passes. What each says about a person, an address, a key and a network is held against a small model, to the byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { z } from 'zod';
import type { exposureStatement } from '#contract/admin/statements.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { fetchFile, pressDownload } from '#test/kit/downloads.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const runs = 6;
const hour = 3_600_000;
const day = 24 * hour;
const outside = 'zoe@harbour.example';

type Step =
  | { do: 'send'; by: 0 | 1; toOther: boolean; toOutside: boolean; days: number; size: number }
  | { do: 'link'; by: 0 | 1; days: number; size: number }
  | { do: 'take'; which: number; part: number }
  | { do: 'stop'; which: number }
  | { do: 'wait'; hours: number };

const person = fc.constantFrom(0 as const, 1 as const);
const days = fc.integer({ min: 0, max: 4 });
const size = fc.integer({ min: 1, max: 5000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      by: person,
      toOther: fc.boolean(),
      toOutside: fc.boolean(),
      days,
      size,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('link' as const), by: person, days, size }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('take' as const), which: fc.nat(), part: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 60 }) }) },
);

/** What the model knows of a transfer: when it could be opened, and by whom. */
interface Known {
  id: string;
  kind: 'message' | 'link';
  owner: number;
  to: string[];
  size: number;
  from: number;
  until: number;
}

interface Taken {
  transfer: Known;
  to: string;
  /** Whose key fetched it; null for a browser. */
  by: number | null;
  bytes: number;
  at: number;
}

interface Figures {
  transfers: number;
  reachable: number;
  downloads: number;
  left: number;
  open: number;
}

onOneEngine('what was exposed', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let number = 0;
  let people: ApiClient[] = [];
  let transfers: Known[] = [];
  let taken: Taken[] = [];

  async function live(steps: Step[]): Promise<void> {
    number += 1;
    people = [await newPerson(app, `ann${number}`), await newPerson(app, `ben${number}`)];
    [transfers, taken] = [[], []];
    for (const one of steps) {
      if (one.do === 'wait') app.clock.advance(one.hours * hour);
      else if (one.do === 'send' || one.do === 'link') await make(one);
      else if (one.do === 'stop') await stop(one.which);
      else await take(one.which, one.part);
      // A transfer that is stopped in the instant in which it was made was never open.
      app.clock.advance(1000);
    }
  }

  async function make(one: Extract<Step, { do: 'send' | 'link' }>): Promise<void> {
    const owner = people[one.by]!;
    const from = app.clock.now();
    const lastDay = new Date(from + one.days * day).toISOString().slice(0, 10);
    const until = Date.parse(`${lastDay}T00:00:00Z`) + day;
    const common = { owner: one.by, size: one.size, from, until };
    const bytes = 'x'.repeat(one.size);
    if (one.do === 'link') {
      const file = await owner.upload('file.bin', bytes, 'uploadForLink');
      transfers.push({ ...common, id: await linkTo(owner, file.id, { expires_at: lastDay }), kind: 'link', to: [] });
      return;
    }
    const to = [...(one.toOther ? [people[1 - one.by]!.email] : []), ...(one.toOutside ? [outside] : [])];
    if (to.length === 0) return;
    const file = await owner.upload('file.bin', bytes, 'uploadForMessage');
    const message = { recipients: to, attachments: [file.id], expires_at: lastDay, bcc_myself: false };
    transfers.push({ ...common, id: (await sendMessage(owner, message)).id, kind: 'message', to });
  }

  async function stop(which: number): Promise<void> {
    const transfer = transfers[which % Math.max(1, transfers.length)];
    if (transfer === undefined || transfer.until <= app.clock.now()) return;
    const params = { id: transfer.id };
    const owner = people[transfer.owner]!;
    await owner.expect(200, transfer.kind === 'link' ? 'deleteFileLink' : 'deleteMessageAttachments', { params });
    transfer.until = app.clock.now();
  }

  /** A link by a stranger and in part; a message by the other person, with their key and whole. */
  async function take(which: number, part: number): Promise<void> {
    const transfer = transfers[which % Math.max(1, transfers.length)];
    const now = app.clock.now();
    if (transfer === undefined || transfer.until <= now) return;
    if (transfer.kind === 'link') {
      const { path, browser } = await pressDownload(app.url, transfer.id);
      const bytes = Math.ceil((transfer.size * part) / 100);
      await fetchFile(app.url, path!, { headers: { range: `bytes=0-${bytes - 1}`, cookie: browser } });
      taken.push({ transfer, to: '', by: null, bytes, at: now });
    } else {
      const other = 1 - transfer.owner;
      const reader = people[other]!;
      if (!transfer.to.includes(reader.email)) return;
      await reader.fetch(await fileUrlOf(reader, transfer.id));
      taken.push({ transfer, to: reader.email, by: other, bytes: transfer.size, at: now });
    }
    await untilDownloadsEnd(app);
  }

  /** What a statement must say. */
  function expected(
    span: { from: number; to: number },
    reaches: (transfer: Known) => boolean,
    leaves: (one: Taken) => boolean,
  ): Figures {
    const reached = transfers.filter(
      (transfer) => reaches(transfer) && Math.max(transfer.from, span.from) < Math.min(transfer.until, span.to),
    );
    const gone = taken.filter((one) => leaves(one) && one.at >= span.from && one.at < span.to);
    return {
      transfers: reached.length,
      reachable: reached.reduce((sum, transfer) => sum + transfer.size, 0),
      downloads: gone.length,
      left: gone.reduce((sum, one) => sum + one.bytes, 0),
      open: reached.filter((transfer) => transfer.until > app.clock.now()).length,
    };
  }

  async function stated(subject: Record<string, string>, span: { from: number; to: number }): Promise<Figures> {
    const instants = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() };
    const { body } = await app.admin.expect(200, 'stateExposure', { body: { exposure: { ...subject, ...instants } } });
    const { findings } = (body as { statement: z.output<typeof exposureStatement> }).statement;
    return {
      transfers: findings.reachable.transfers,
      reachable: findings.reachable.bytes,
      downloads: findings.left.downloads,
      left: findings.left.bytes,
      open: findings.closed.open,
    };
  }

  test('is exact for everybody and every span', async () => {
    const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 120 })), {
      minLength: 1,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), spans, async (steps, some) => {
        const begun = app.clock.now();
        await live(steps);
        for (const [after, hours] of some) {
          const span = { from: begun + after * hour, to: begun + (after + hours) * hour };
          for (const [index, who] of people.entries()) {
            const isOwn = (transfer: Known) => transfer.owner === index;
            const isTheirs = (transfer: Known) => isOwn(transfer) || transfer.to.includes(who.email);
            const ofUser = expected(span, isTheirs, (one) => isOwn(one.transfer) || one.to === who.email);
            assert.deepEqual(await stated({ user: idOf(who) }, span), ofUser, 'a person');
            const ofAddress = expected(
              span,
              (transfer) => transfer.to.includes(who.email),
              (one) => one.to === who.email,
            );
            assert.deepEqual(await stated({ address: who.email }, span), ofAddress, 'an address');
            const ofKey = expected(span, isTheirs, (one) => one.by === index);
            assert.deepEqual(await stated({ api_key: who.key! }, span), ofKey, 'a key');
          }
        }
      }),
      { numRuns: runs },
    );
  });
});

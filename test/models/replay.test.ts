// Replaying changed settings over random histories: no change yields no difference, and a change exactly that of a model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { z } from 'zod';
import type { replayAnswer } from '#contract/admin/policy.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { withIds } from '#test/kit/references.ts';
import { useApp } from '#test/kit/use-app.ts';

type Replay = z.input<typeof replayAnswer>['replay'];
const runs = 12;
const day = 86_400_000;

interface Rules {
  message_max_expiration: number;
  message_default_expiration: number;
  message_can_change_expiration: boolean;
  message_default_bcc_myself: boolean;
  message_can_change_bcc_myself: boolean;
  can_use_filelinks: boolean;
  filelink_max_expiration: number;
  filelink_default_expiration: number;
  can_use_file_requests: boolean;
  file_request_expiration: number;
}

const someRules: fc.Arbitrary<Partial<Rules>> = fc.record(
  {
    message_max_expiration: fc.integer({ min: 10, max: 40 }),
    message_default_expiration: fc.integer({ min: 1, max: 10 }),
    message_can_change_expiration: fc.boolean(),
    message_default_bcc_myself: fc.boolean(),
    message_can_change_bcc_myself: fc.boolean(),
    can_use_filelinks: fc.boolean(),
    filelink_max_expiration: fc.integer({ min: 10, max: 40 }),
    filelink_default_expiration: fc.integer({ min: 1, max: 10 }),
    can_use_file_requests: fc.boolean(),
    file_request_expiration: fc.integer({ min: 1, max: 40 }),
  },
  { requiredKeys: [] },
);

type Step =
  | { do: 'send'; kind: 'message' | 'link' | 'request'; days: number | null; copy: boolean | null }
  | { do: 'change'; rules: Partial<Rules> }
  | { do: 'wait'; days: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      kind: fc.constantFrom('message', 'link', 'request'),
      days: fc.option(fc.integer({ min: 1, max: 45 })),
      copy: fc.option(fc.boolean()),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), rules: someRules }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 3 }) }) },
);

interface Sent extends Extract<Step, { do: 'send' }> {
  id: string;
  rules: Rules;
}

const firstRules: Rules = {
  message_max_expiration: 40,
  message_default_expiration: 10,
  message_can_change_expiration: true,
  message_default_bcc_myself: true,
  message_can_change_bcc_myself: true,
  can_use_filelinks: true,
  filelink_max_expiration: 40,
  filelink_default_expiration: 10,
  can_use_file_requests: true,
  file_request_expiration: 10,
};

/** The result of a send under these rules: null where refused, otherwise the settings that apply. */
function judge({ kind, days, copy }: Sent | Extract<Step, { do: 'send' }>, rules: Rules): string | null {
  if (kind === 'link') {
    if (!rules.can_use_filelinks || (days ?? 0) > rules.filelink_max_expiration) return null;
    return `${days ?? rules.filelink_default_expiration}`;
  }
  if (kind === 'request') return rules.can_use_file_requests ? `${days ?? rules.file_request_expiration}` : null;
  const wantsOther = days !== null && days !== rules.message_default_expiration;
  if (wantsOther && !rules.message_can_change_expiration) return null;
  if ((days ?? 0) > rules.message_max_expiration) return null;
  if (copy !== null && copy !== rules.message_default_bcc_myself && !rules.message_can_change_bcc_myself) return null;
  return `${days ?? rules.message_default_expiration} ${copy ?? rules.message_default_bcc_myself}`;
}

onOneEngine('replays', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let people = 0;
  let attachment: string;
  let alice: ApiClient;

  const isoDate = (days: number) => new Date(app.clock.now() + days * day).toISOString().slice(0, 10);

  async function send({ kind, days, copy }: Extract<Step, { do: 'send' }>): Promise<string | null> {
    const expires = days === null ? {} : { expires_at: isoDate(days) };
    if (kind === 'message') {
      const message = {
        recipients: ['ben@harbour.example'],
        ...expires,
        ...(copy === null ? {} : { bcc_myself: copy }),
      };
      const reply = await alice.call('sendMessage', { body: { message } });
      return reply.status === 200 ? (reply.body as { message: { id: string } }).message.id : null;
    }
    if (kind === 'link') {
      const reply = await alice.call('createFileLink', { body: { link: { attachment, ...expires } } });
      return reply.status === 200 ? (reply.body as { link: { id: string } }).link.id : null;
    }
    const request = { recipient: 'ben@harbour.example', subject: 'Files', message: 'Send them.', ...expires };
    const reply = await alice.call('createFileRequest', { body: { request } });
    return reply.status === 200 ? (reply.body as { request: { id: string } }).request.id : null;
  }

  async function live(group: string, steps: Step[]): Promise<{ sent: Sent[]; rules: Rules }> {
    const sent: Sent[] = [];
    let rules = firstRules;
    for (const one of steps) {
      if (one.do === 'wait') app.clock.advance(one.days * day);
      else if (one.do === 'change') {
        rules = { ...rules, ...one.rules };
        await app.admin.expect(200, 'changeGroup', { params: { id: group }, body: { group: one.rules } });
      } else {
        const id = await send(one);
        assert.equal(id !== null, judge(one, rules) !== null, JSON.stringify({ one, rules }));
        if (id !== null) sent.push({ ...one, id, rules });
      }
    }
    return { sent, rules };
  }

  const replay = async (id: string, changes: Partial<Rules>): Promise<Replay> => {
    const { body } = await app.admin.expect(200, 'replayGroup', {
      params: { id },
      body: { replay: { group: changes, days: 90 } },
    });
    return withIds(app, (body as { replay: Replay }).replay);
  };

  test('agree with the model, and without a change find no difference', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: 14 }),
      someRules,
      async (steps, change) => {
        people += 1;
        const group = await app.group(`Group ${people}`, { ...firstRules });
        alice = await newPerson(app, `alice${people}`, { group });
        const upload = await alice.expect(200, 'uploadForLink', { query: { filename: 'a.txt' }, bytes: 'hello' });
        attachment = (upload.body as { attachment: { id: string } }).attachment.id;
        await sendMessage(alice, { recipients: ['ben@harbour.example'] });
        const { sent, rules } = await live(group, steps);
        const unchanged = await replay(group, {});
        assert.deepEqual(unchanged, { sends: sent.length + 1, refused: [], changed: [], complete: true });
        assert.deepEqual((await replay(group, rules)).refused, []);
        checkChange(await replay(group, change), sent, changedFields(rules, change));
      },
    );
    await fc.assert(property, { numRuns: runs });
  });
});

function changedFields(rules: Rules, change: Partial<Rules>): Partial<Rules> {
  return Object.fromEntries(
    Object.entries(change).filter(([key, value]) => rules[key as keyof Rules] !== value),
  ) as Partial<Rules>;
}

function checkChange(found: Replay, sent: Sent[], change: Partial<Rules>): void {
  for (const one of sent) {
    const [was, would] = [judge(one, one.rules), judge(one, { ...one.rules, ...change })];
    const name = JSON.stringify({ one, change });
    assert.equal(
      found.refused.some(({ id }) => id === one.id),
      would === null,
      name,
    );
    assert.equal(
      found.changed.some(({ id }) => id === one.id),
      would !== null && would !== was,
      name,
    );
  }
}

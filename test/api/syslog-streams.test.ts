// Events in a real syslog server over TLS: every form, in order, after an outage of the server too.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { writeSyslog } from '#server/actions/event-receivers/streams.ts';
import { record } from '#server/actions/events.ts';
import { systemCaller } from '#server/domain/caller.ts';
import type { SyslogFormat } from '#server/domain/settings.ts';
import { onEachDatabase, type TestApp } from '#test/kit/app.ts';
import { eventually } from '#test/kit/eventually.ts';
import { type Rsyslog, rsyslogRequirement, startRsyslog } from '#test/kit/servers/rsyslog.ts';
import { useApp } from '#test/kit/use-app.ts';

const forms: Record<SyslogFormat, { objectOf(text: string): string; mark: RegExp }> = {
  json: { objectOf: (text) => (JSON.parse(text) as { object_id: string }).object_id, mark: /"action":"job\.run"/ },
  cef: {
    objectOf: (text) => / cs2=(\S+)/.exec(text)![1]!,
    mark: /^CEF:0\|Waybill\|Waybill\|[^|]+\|job\.run\|job run\|3\|/,
  },
  ocsf: {
    objectOf: (text) => (JSON.parse(text) as { entity: { uid: string } }).entity.uid,
    mark: /"class_uid":3004,/,
  },
};

const isMissing = !rsyslogRequirement.isMet();
if (isMissing) test.skip('syslog over TLS needs rsyslog');

for (const format of isMissing ? [] : (Object.keys(forms) as SyslogFormat[]))
  onEachDatabase(`Syslog over TLS as ${format}`, (start) => {
    const environment: Record<string, string> = { WAYBILL_ROLE: 'web', WAYBILL_SYSLOG_FORMAT: format };
    let server: Rsyslog;
    before(async () => {
      server = await startRsyslog();
      environment.WAYBILL_SYSLOG_URL = server.url;
      environment.WAYBILL_SYSLOG_CA_FILE = server.certificatePath;
    });
    const app = useApp(start, { environment });
    after(() => server.remove());

    const happen = (...jobs: string[]) => happenIn(app, jobs);
    const received = () => server.messages().filter(({ id }) => id === 'job.run');

    test('arrives once and in order, and what happened during an outage arrives afterwards', async () => {
      assert.equal(await writeSyslog(app.app.ctx), 0, 'it begins with the next event');
      const first = Array.from({ length: 40 }, (_, number) => `before-${number}`);
      await happen(...first);
      assert.ok((await writeSyslog(app.app.ctx)) >= 40);
      await eventually('all are in the file', async () => received().length >= 40);
      await server.stop();
      const missed = Array.from({ length: 30 }, (_, number) => `during-${number}-ä|=\\`);
      await happen(...missed);
      assert.equal(await writeSyslog(app.app.ctx), 0);
      const { body } = await app.admin.expect(200, 'listEventStreams');
      const [stream] = (body as { streams: { attempts: number; last_error: string; waiting: boolean }[] }).streams;
      assert.deepEqual([stream!.attempts, stream!.waiting], [1, true]);
      assert.notEqual(stream!.last_error, '');
      await server.start();
      app.clock.advance(60 * 60_000);
      assert.ok((await writeSyslog(app.app.ctx)) >= 30);
      await eventually('the missed ones are in the file', async () => received().length >= 70);
      const { objectOf, mark } = forms[format];
      for (const { app: name, text } of received()) {
        assert.equal(name, 'waybill');
        assert.match(text, mark);
      }
      if (format !== 'cef')
        assert.deepEqual(
          received().map(({ text }) => objectOf(text)),
          [...first, ...missed],
        );
      else
        assert.deepEqual(
          received()
            .slice(0, 40)
            .map(({ text }) => objectOf(text)),
          first,
        );
    });
  });

describe('A syslog server with an unknown certificate', { skip: isMissing }, () => {
  test('is refused', async () => {
    const { sendSyslog } = await import('#server/lib/syslog.ts');
    const server = await startRsyslog();
    const message = { at: '2026-11-19T09:30:00.000Z', host: 'a', messageId: 'b', severity: 6, text: 'c' };
    await assert.rejects(sendSyslog({ url: new URL(server.url), certificates: [] }, [message]), /self.signed/i);
    await server.remove();
  });
});

async function happenIn({ app }: TestApp, jobs: readonly string[]): Promise<void> {
  await app.ctx.db.write(async (tx) => {
    for (const id of jobs)
      await record(app.ctx, tx, systemCaller, {
        action: 'job.run',
        object: { kind: 'job', id },
        ownerId: '',
        facts: { confirmed: false },
      });
  });
}

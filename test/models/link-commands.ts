// Commands for fast-check that change links in the service and in the model, and compare both.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fileLinkAnswer, fileLinksAnswer } from '#contract/file-links.ts';
import { addDays, dateOf } from '#server/lib/dates.ts';
import type { TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, enterPassword, fetchFile } from '#test/kit/downloads.ts';
import { eventually } from '#test/kit/eventually.ts';
import { wireForm } from '../kit/wire-form.ts';
import { cutAt, fileBytes, type LinkModel, type LinkState } from './link-model.ts';

export interface LinkWorld {
  app: TestApp;
  owner: ApiClient;
  files: { id: string; bytes: Buffer }[];
  linkIds: string[];
  tickets: { path: string; cookie: string }[];
  cookies: string[];
}

type Command = fc.AsyncCommand<LinkModel, LinkWorld>;

const password = 'four green ladders';
/** Calls of a disabled person change nothing. */
const refusedWhileOff = 401;

const dateIn = (model: LinkModel, days: number) => addDays(dateOf(model.now, 'UTC'), days);

function createLink(plan: { file: number; days: number; hasPassword: boolean; requireSignIn: boolean }): Command {
  return {
    check: () => true,
    async run(model, world) {
      const file = plan.file % world.files.length;
      const reply = await world.owner.call('createFileLink', {
        body: {
          link: {
            attachment: world.files[file]!.id,
            expires_at: dateIn(model, plan.days),
            require_authentication: plan.requireSignIn,
            ...(plan.hasPassword ? { password } : {}),
          },
        },
      });
      const make = () => (model.createLink(file, plan.days, plan.hasPassword, plan.requireSignIn) ? 200 : 422);
      assert.equal(reply.status, model.isOwnerOn ? make() : refusedWhileOff);
      if (reply.status === 200) world.linkIds.push(wireForm(fileLinkAnswer, reply.body).link.id);
    },
    toString: () => `create(${JSON.stringify(plan)})`,
  };
}

type Change = { days: number } | { requireSignIn: boolean } | 'delete';

function changeLink(pick: number, change: Change): Command {
  return {
    check: (model) => model.links.length > 0,
    async run(model, world) {
      const index = pick % model.links.length;
      const link = model.links[index]!;
      const params = { id: world.linkIds[index]! };
      const call = async () => {
        if (change === 'delete') return world.owner.call('deleteFileLink', { params });
        if ('days' in change)
          return world.owner.call('updateExpiresAt', { params, body: { expires_at: dateIn(model, change.days) } });
        return world.owner.call('updateAuthentication', {
          params,
          body: { require_authentication: change.requireSignIn },
        });
      };
      const apply = () => {
        if (change === 'delete') return model.deleteLink(link);
        return 'days' in change ? model.extend(link, change.days) : model.requireSignIn(link, change.requireSignIn);
      };
      const { status } = await call();
      assert.equal(status, model.isOwnerOn ? apply() : refusedWhileOff);
    },
    toString: () => `change(${pick}, ${JSON.stringify(change)})`,
  };
}

function switchOwner(isOn: boolean): Command {
  return {
    check: (model) => model.isOwnerOn !== isOn,
    async run(model, world) {
      await world.app.admin.expect(200, 'changeUser', {
        params: { id: world.owner.email },
        body: { user: { disabled: !isOn } },
      });
      model.isOwnerOn = isOn;
    },
    toString: () => (isOn ? 'enable' : 'disable'),
  };
}

function enter(pick: number): Command {
  return {
    check: (model) => model.links.length > 0,
    async run(model, world) {
      const index = pick % model.links.length;
      const cookie = await enterPassword(world.app.url, world.linkIds[index]!, password);
      assert.equal(cookie !== null, model.enterPassword(index));
      if (cookie !== null) world.cookies.push(cookie);
    },
    toString: () => `password(${pick})`,
  };
}

function click(pick: number, passPick: number | null): Command {
  return {
    check: (model) => model.links.length > 0,
    async run(model, world) {
      const index = pick % model.links.length;
      const pass = passPick === null || model.passes.length === 0 ? null : passPick % model.passes.length;
      const cookie = pass === null ? undefined : world.cookies[pass];
      const { path, browser } = await clickDownload(world.app.url, world.linkIds[index]!, cookie);
      assert.equal(path !== null, model.click(index, pass === null ? null : model.passes[pass]!));
      if (path !== null) world.tickets.push({ path, cookie: browser });
    },
    toString: () => `click(${pick}, ${passPick})`,
  };
}

function fetchBytes(pick: number, part: 'whole' | 'start' | 'end'): Command {
  return {
    check: (model) => model.tickets.length > 0,
    async run(model, world) {
      const index = pick % model.tickets.length;
      const ticket = model.tickets[index]!;
      const range = { whole: null, start: [0, cutAt], end: [cutAt, fileBytes] }[part];
      const { path, cookie } = world.tickets[index]!;
      // The error page has the status of the link.
      const headers = {
        accept: '*/*',
        cookie,
        ...(range === null ? {} : { range: `bytes=${range[0]}-${range[1]! - 1}` }),
      };
      const given = await fetchFile(world.app.url, path, { headers });
      const [start, end] = (range ?? [0, fileBytes]) as [number, number];
      const status = model.fetch(ticket, part);
      // A job deletes expired tickets, after which nothing says what they led to.
      const isForgotten = status === 410 && ticket.expiresAt <= model.now && given.status === 404;
      if (!isForgotten) assert.equal(given.status, status);
      const { bytes } = world.files[model.links[ticket.link]!.file]!;
      if (status === 200 || status === 206) assert.ok(given.isWhole && given.bytes.equals(bytes.subarray(start, end)));
      // A refusal carries no byte of the file.
      else assert.ok(!given.bytes.includes(bytes.subarray(0, 64)));
    },
    toString: () => `fetch(${pick}, ${part})`,
  };
}

function view(pick: number): Command {
  return {
    check: (model) => model.links.length > 0,
    async run(model, world) {
      const before = await traces(world);
      const { url } = world.app;
      const index = pick % model.links.length;
      await fetchFile(url, `/link/${world.linkIds[index]}`);
      await fetchFile(url, `/link/${world.linkIds[index]}`, { method: 'HEAD' });
      const ticket = model.tickets[pick % Math.max(model.tickets.length, 1)];
      if (ticket !== undefined) {
        const { path, cookie } = world.tickets[model.tickets.indexOf(ticket)]!;
        const seen = await fetchFile(url, path, { method: 'HEAD', headers: { cookie } });
        assert.equal(seen.status, model.fetch(ticket, 'whole', true));
        if (seen.status === 200) {
          const etag = seen.headers.etag!;
          assert.equal((await fetchFile(url, path, { headers: { cookie, 'if-none-match': etag } })).status, 304);
          assert.equal((await fetchFile(url, path, { headers: { cookie, range: 'bytes=99999-' } })).status, 416);
        }
      }
      assert.deepEqual(await traces(world), before);
    },
    toString: () => `view(${pick})`,
  };
}

async function traces({ app }: LinkWorld): Promise<unknown> {
  const { db } = app.app.ctx;
  const tickets = await db.read.selectFrom('tickets').select(['served_bytes', 'download_number']).execute();
  const downloads = await db.read
    .selectFrom('downloads')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .execute();
  // A download of an earlier step may end and be logged now.
  const events = await db.read
    .selectFrom('events')
    .where('action', '<>', 'download.ended')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .execute();
  return {
    tickets: tickets.length,
    served: tickets.reduce((sum, ticket) => sum + ticket.served_bytes, 0),
    started: tickets.filter((ticket) => ticket.download_number !== null).length,
    downloads: Number(downloads[0]!.count),
    events: Number(events[0]!.count),
  };
}

const hourMs = 3_600_000;

/** Time passes, or the clock is set; setting it back changes nothing. */
function moveClock(hours: number, how: 'pass' | 'set'): Command {
  return {
    check: () => true,
    async run(model, world) {
      const { clock } = world.app;
      if (how === 'pass') {
        clock.advance(hours * hourMs);
        model.uptime += hours * hourMs;
      } else clock.set(clock.now() + hours * hourMs);
      model.now = Math.max(model.now, clock.now());
      assert.equal(world.app.app.ctx.clock.now(), model.now);
    },
    toString: () => `${how}(${hours} h)`,
  };
}

const runJobs: Command = {
  check: () => true,
  async run(model, world) {
    for (const name of ['expire', 'erase-files', 'remove-erased', 'tidy'])
      await world.app.app.jobs.runOnce(name, { isConfirmed: true });
    model.runJobs();
  },
  toString: () => 'jobs',
};

const restart: Command = {
  check: () => true,
  async run(_model, world) {
    await world.app.restart();
    await eventually(
      'the service answers again',
      async () => (await world.app.admin.call('getAccount')).status === 200,
    );
  },
  toString: () => 'restart',
};

export async function checkList(model: LinkModel, world: LinkWorld): Promise<void> {
  const { body } = await world.owner.expect(200, 'listFileLinks');
  const listed = wireForm(fileLinksAnswer, body).links.map((link) => link.id);
  const isLive = (link: LinkState) => link.state === 'active' && link.expiresAt > model.now;
  const expected = world.linkIds.filter((_id, index) => isLive(model.links[index]!));
  assert.deepEqual(listed.sort(), expected.sort());
}

const pick = fc.nat(7);

const creating = fc
  .record({
    file: fc.nat(1),
    days: fc.constantFrom(0, 1, 1, 3, -1),
    hasPassword: fc.constantFrom(false, false, true),
    requireSignIn: fc.constantFrom(false, false, true),
  })
  .map(createLink);
const clicking = fc.tuple(pick, fc.option(pick)).map(([which, pass]) => click(which, pass));
const fetching = fc
  .tuple(pick, fc.constantFrom('whole', 'start', 'end'))
  .map(([which, part]) => fetchBytes(which, part));

/** All commands; the most frequent are creating, clicking and fetching. */
export const linkCommands: fc.Arbitrary<Command>[] = [
  creating,
  creating,
  creating,
  clicking,
  clicking,
  clicking,
  fetching,
  fetching,
  fetching,
  fc.tuple(pick, fc.constantFrom(0, 1, 2, -1)).map(([which, days]) => changeLink(which, { days })),
  fc.tuple(pick, fc.boolean()).map(([which, requireSignIn]) => changeLink(which, { requireSignIn })),
  pick.map((which) => changeLink(which, 'delete')),
  fc.constantFrom(true, true, false).map(switchOwner),
  pick.map(enter),
  pick.map(view),
  fc.constantFrom(0.2, 1, 12, 24).map((hours) => moveClock(hours, 'pass')),
  fc.constantFrom(-48, -1, 24).map((hours) => moveClock(hours, 'set')),
  fc.constant(runJobs),
  fc.constant(restart),
];

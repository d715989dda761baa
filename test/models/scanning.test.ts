// No byte leaves before a verdict that permits it, and every clean file arrives: random histories of uploads, sends, verdicts,
// releases, new signatures, outages, crashes and restarts. Failures print a seed.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { onEachEngine } from '#test/kit/app.ts';
import { fakeScannerEnvironment, scanStateOf } from '#test/kit/fake-scanner.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { unpack } from '#test/kit/zip-reader.ts';
import { natures, type Owner, ScanningWorld } from './scanning-world.ts';

const minute = 60_000;
const budgetMs = 8_000;

type Command = fc.AsyncCommand<object, ScanningWorld>;

function command(name: string, run: (world: ScanningWorld) => Promise<unknown> | unknown): Command {
  return {
    check: () => true,
    run: async (_model, world) => void (await run(world)),
    toString: () => name,
  };
}

const pick = fc.nat({ max: 30 });
const owner = fc.constantFrom<Owner>('alice', 'rex');

/** One link and one message, and the tickets of earlier looks. */
async function look(world: ScanningWorld, index: number): Promise<void> {
  await openTickets(world);
  const message = world.messages[index % Math.max(world.messages.length, 1)];
  const link = world.links[index % Math.max(world.links.length, 1)];
  const pages = [link && `/link/${link.id}`, message && `/message/${message.id}`].filter((page) => page !== undefined);
  for (const page of pages) {
    world.receive(await world.press(page), page);
    await takeUnused(world, page);
  }
  if (message === undefined) return;
  world.receive(await world.press(`/message/${message.id}`, message.files[0]), 'a file of a message');
  await world.checkOwner(message);
}

async function takeUnused(world: ScanningWorld, page: string): Promise<void> {
  const ticket = await world.takeTicket(page);
  if (ticket !== null) world.tickets.push(ticket);
}

async function openTickets(world: ScanningWorld): Promise<void> {
  const unused: string[] = [];
  for (const ticket of world.tickets) {
    const bytes = await world.openTicket(ticket);
    world.receive(bytes, 'an old ticket');
    if (bytes.length === 0) unused.push(ticket);
  }
  world.tickets = unused;
}

const commands = [
  fc
    .tuple(owner, fc.constantFrom(...natures, 'turning' as const))
    .map(([who, nature]) => command(`upload(${who}, ${nature})`, (world) => world.upload(who, nature))),
  fc
    .tuple(owner, fc.array(pick, { minLength: 1, maxLength: 4 }))
    .map(([who, picks]) => command(`send(${who}, ${picks})`, (world) => world.send(who, picks))),
  pick.map((file) => command(`link(${file})`, (world) => world.files.length > 0 && world.link(file))),
  fc.constant(command('scan', (world) => world.scan(null))),
  fc.nat({ max: 12 }).map((writes) => command(`die(${writes})`, (world) => world.scan(writes))),
  fc.constant(
    command('new signatures', (world) => Object.assign(world.fake, { signatures: world.fake.signatures + 1 })),
  ),
  fc.boolean().map((isDown) => command(`outage(${isDown})`, (world) => Object.assign(world.fake, { isDown }))),
  fc
    .tuple(pick, fc.constantFrom('release' as const, 'erase' as const))
    .map(([file, decision]) => command(`${decision}(${file})`, (world) => world.decide(file, decision))),
  fc
    .constantFrom(minute / 2, 2 * minute, 20 * minute)
    .map((ms) => command(`wait(${ms / minute})`, (world) => world.app.clock.advance(ms))),
  fc.constant(command('mail', (world) => world.post())),
  pick.map((index) => command(`look(${index})`, (world) => look(world, index))),
  pick.map((index) =>
    index > 27
      ? command('restart', (world) => world.restart())
      : command(`look(${index})`, (world) => look(world, index)),
  ),
];

/** Everything works again, and some time passes. */
async function settle(world: ScanningWorld): Promise<void> {
  world.fake.isDown = false;
  do world.app.clock.advance(20 * minute);
  while ((await world.scan(null)) !== '0 files scanned');
  await world.post();
}

async function checkEnd(world: ScanningWorld): Promise<void> {
  for (const file of world.files.filter(({ isErased }) => !isErased)) {
    const expected = world.mustLeave(file) ? 'free' : 'held';
    assert.equal(await scanStateOf(world.app, file.id), expected, file.content);
  }
  for (const { id, file } of world.links) {
    const bytes = await world.press(`/link/${id}`);
    assert.equal(bytes.toString(), world.mustLeave(file) ? file.content : '', 'at a link');
  }
  for (const message of world.messages) {
    const expected = message.files.filter((file) => world.mustLeave(file)).map(({ content }) => content);
    const bytes = await world.press(`/message/${message.id}`);
    const found = bytes.length === 0 ? [] : unpack(bytes).map((entry) => entry.bytes.toString());
    assert.deepEqual(found.sort(), expected.sort(), 'in an archive');
    if (expected.length > 0) assert.ok(message.isMailed, 'the mail of a message with a file that may leave');
    await world.checkOwner(message);
  }
}

onEachEngine('Behind a virus scanner', (start) => {
  const mailbox = openMailbox();
  const environment = { ...mailbox.options.environment, ...fakeScannerEnvironment };
  const app = useApp(start, { ...mailbox.options, environment });
  let groups: Record<Owner, string>;
  before(async () => {
    const open = { message_can_use_anyone: true };
    const releasing = { virus_scan_silent: 'release', virus_scan_unscannable: 'release' };
    groups = { alice: await app.group('Holding', open), rex: await app.group('Releasing', { ...open, ...releasing }) };
  });

  async function setUp(run: number): Promise<ScanningWorld> {
    const person = (name: Owner) => newPerson(app, `${name}${run}`, { group: groups[name] });
    return new ScanningWorld(app, { alice: await person('alice'), rex: await person('rex') }, mailbox, run);
  }

  test('nothing leaves before a verdict that permits it, and every clean file arrives', async () => {
    const deadline = performance.now() + budgetMs;
    let runs = 0;
    const property = fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max' }), async (history) => {
      // Past the budget further runs are empty, so that searching and shrinking end.
      if (runs > 0 && performance.now() > deadline) return;
      runs += 1;
      const world = await setUp(runs);
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: world }), history);
        await settle(world);
        await checkEnd(world);
        for (const { id } of world.messages) await takeUnused(world, `/message/${id}`);
        for (const { id } of world.links) await takeUnused(world, `/link/${id}`);
        world.fake.signatures += 1;
        await settle(world);
        await openTickets(world);
        await checkEnd(world);
      } finally {
        for (const { email } of Object.values(world.people))
          await app.admin.expect(200, 'deleteUser', { params: { id: email } });
      }
    });
    await fc.assert(property, { numRuns: 1_000 });
  });
});

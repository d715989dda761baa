import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactsAnswer } from '#contract/app/contacts.ts';
import { searchAnswer } from '#contract/app/search.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { newPerson, share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

onOneEngine('Screens read', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');
  const read = async (who: ApiClient, name: Parameters<ApiClient['call']>[0]) =>
    (await who.expect(200, name)).body as Record<string, Record<string, unknown>>;

  test('the defaults of a person who chose nothing, and then what they choose', async () => {
    const { profile } = await read(alice, 'getProfile');
    const { created_at: _, languages: __, ...rest } = profile!;
    assert.deepEqual(rest, {
      user_id: 'alice-example-com',
      email: 'alice@example.com',
      name: 'alice',
      group: 'Local Users',
      language: '',
      time_zone: '',
      theme: 'system',
      shortcut_keys: true,
    });
    const chosen = { time_zone: 'Europe/Stockholm', theme: 'dark', shortcut_keys: false };
    await alice.expect(200, 'changeProfile', { body: chosen });
    const { time_zone, theme, shortcut_keys } = (await read(alice, 'getProfile')).profile!;
    assert.deepEqual({ time_zone, theme, shortcut_keys }, chosen);
    assert.deepEqual((await read(alice, 'getNotices')).notices, {
      receipts: 'at_once',
      reminders: true,
      requests: true,
    });
    const quiet = { receipts: 'daily', reminders: false, requests: false };
    await alice.expect(200, 'changeNotices', { body: quiet });
    assert.deepEqual((await read(alice, 'getNotices')).notices, quiet);
    assert.deepEqual((await read(alice, 'getTotp')).totp, { state: 'off', demand: 'offered', recovery_codes: 0 });
  });

  test('the storage in use, of what the group permits', async () => {
    const group = await app.group('Little room', { storage_quota: 2 });
    const ben = await newPerson(app, 'ben', { group });
    assert.deepEqual((await read(ben, 'getStorage')).storage, { used: 0, quota: 2 * 1024 * 1024 });
    await ben.upload('a.txt', 'hello');
    assert.deepEqual((await read(ben, 'getStorage')).storage, { used: 5, quota: 2 * 1024 * 1024 });
    assert.equal((await read(alice, 'getStorage')).storage!.quota, null);
  });

  test('people written to and asked, newest first, by the last time, each once', async () => {
    const cleo = await newPerson(app, 'cleo');
    const write = async (...recipients: string[]) => {
      app.clock.advance(1000);
      await sendMessage(cleo, { recipients });
    };
    await write('old@harbour.example');
    await write('both@harbour.example', 'again@harbour.example');
    app.clock.advance(1000);
    const request = { recipient: 'asked@harbour.example', subject: 'Drawings', message: '', send_email: false };
    await cleo.expect(200, 'createFileRequest', { body: { request } });
    await write('old@harbour.example');
    const people = async (query: Record<string, string> = {}) =>
      contactsAnswer
        .parse((await cleo.expect(200, 'listContacts', { query })).body)
        .people.map(({ address }) => address.split('@')[0]);
    assert.deepEqual(await people(), ['old', 'asked', 'again', 'both']);
    assert.deepEqual(await people({ limit: '2' }), ['old', 'asked']);
    assert.deepEqual(await people({ q: 'a' }).then((found) => found.includes('again')), true);
    assert.deepEqual(await people({ q: 'both' }), ['both']);
  });

  test('a search without links and requests for people whose group has none', async () => {
    const dora = await newPerson(app, 'dora');
    await share(dora, { name: 'lighthouse.txt', bytes: 'x' });
    const request = { recipient: 'ben@harbour.example', subject: 'lighthouse', message: '', send_email: false };
    await dora.expect(200, 'createFileRequest', { body: { request } });
    const found = async () => {
      const { links, requests, files } = wireForm(
        searchAnswer,
        (await dora.expect(200, 'search', { query: { q: 'lighthouse' } })).body,
      );
      return [links.length, requests.length, files.length];
    };
    assert.deepEqual(await found(), [1, 1, 1]);
    const move = async (settings: Record<string, unknown>) => {
      const group = await app.group(`Without ${Object.keys(settings)[0]}`, settings);
      await app.admin.expect(200, 'changeUser', { params: { id: dora.email }, body: { user: { group } } });
    };
    await move({ can_use_filelinks: false });
    assert.deepEqual(await found(), [0, 1, 1]);
    await move({ can_use_file_requests: false });
    assert.deepEqual(await found(), [1, 0, 1]);
  });

  test('a drop page that keeps the address it was named after', async () => {
    const group = await app.group('Named', { filedrop_random: false, filedrop_email: true });
    const eve = await newPerson(app, 'eve', { group });
    await eve.refused(422, 'filedrop.no_random', 'resetAppDrop');
    const { drop } = await read(eve, 'getAppDrop');
    assert.deepEqual([drop!.is_available, drop!.random_url], [true, '']);
  });

  test('the effect of a change of a group before it is saved, and the limits of every setting', async () => {
    const group = await app.group('Previewed', { message_max_expiration: 90 });
    const preview = (change: Record<string, unknown>) =>
      app.admin.expect(200, 'previewGroup', { params: { id: group }, body: { preview: { group: change } } });
    const daysOf = async (change: Record<string, unknown>) =>
      ((await preview(change)).body as { rules: { messages: { max_days: number }; is_local: boolean } }).rules;
    assert.deepEqual([(await daysOf({})).messages.max_days, (await daysOf({})).is_local], [90, true]);
    assert.equal((await daysOf({ message_max_expiration: 60 })).messages.max_days, 60);
    assert.equal((await daysOf({ is_local: false })).is_local, false);
    await app.admin.expect(404, 'previewGroup', { params: { id: 'nowhere' }, body: { preview: {} } });
    const { settings } = (await app.admin.expect(200, 'listPolicySettings')).body as {
      settings: { key: string; kind: string; min?: number; max?: number; default: unknown; default_outside: unknown }[];
    };
    const hours = settings.find(({ key }) => key === 'session_hours')!;
    assert.deepEqual([hours.kind, hours.min, hours.max, hours.default], ['number', 1, 2160, 24]);
    const links = settings.find(({ key }) => key === 'can_use_filelinks')!;
    assert.deepEqual([links.default, links.default_outside, 'min' in links], [true, false, false]);
  });
});

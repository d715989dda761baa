import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { manageUsers } from '#server/commands/user.ts';
import { lockSettings, saveSettings } from '#server/db/system/settings.ts';
import { composeMail } from '#server/mail/render.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { browserOf } from '#test/kit/messages.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

const hidden = ['\u202e', '\u200b', '\u2066', '\ufeff', '\u{e0041}', '\u3164', '\u00ad', '\u034f', '\u180e', '\u115f'];
const code = 'name.hidden_character';
const password = 'seven lamps under a quiet river';

onOneEngine('a name with a hidden character', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let ann: ApiClient;
  let ben: ApiClient;
  before(async () => {
    ann = await newPerson(app, 'ann');
    ben = await newPerson(app, 'ben', { password });
  });

  test('is refused for people, groups, drop pages and the organisation, with the character', async () => {
    const { groups } = (await app.admin.expect(200, 'listGroups')).body as { groups: { id: string }[] };
    for (const character of hidden) {
      const name = `An${character}n`;
      const user = { email: 'new@example.com', name };
      const reply = await app.admin.refused(422, code, 'createUser', { body: { user } });
      const words = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
      assert.match(JSON.stringify(reply), new RegExp(words.replace('+', '\\+')));
      await ann.refused(422, code, 'changeProfile', { body: { name } });
      await app.admin.refused(422, code, 'changeUser', { params: { id: idOf(ann) }, body: { user: { name } } });
      await app.admin.refused(422, code, 'createGroup', { body: { group: { name } } });
      await app.admin.refused(422, code, 'changeGroup', { params: { id: groups[0]!.id }, body: { group: { name } } });
      await app.admin.refused(422, code, 'changeBranding', { body: { branding: { organisation_name: name } } });
    }
    const { rows } = { rows: await app.app.ctx.db.read.selectFrom('users').select('name').execute() };
    assert.ok(rows.every((row) => !row.name.includes('An')));
  });

  test("is refused by the operator's command", async () => {
    const io = { out: () => {}, err: () => {}, readSecret: async () => '' };
    const work = manageUsers(['create', 'new@example.com', '--name', 'An\u202en'], io, (within) => within(app.app.ctx));
    await assert.rejects(work, { code });
  });

  test('from an earlier version is shown with marks on pages and in mails', async () => {
    const { ctx } = app.app;
    const organisationName = 'North\u{e0041}light\u202e';
    const marked = 'North[U+E0041]light[U+202E]';
    await ctx.db.write(async (tx) => {
      const now = ctx.clock.now();
      await saveSettings(tx, { ...(await lockSettings(tx, now)), organisationName }, now);
      await tx.updateTable('users').set({ name: 'An\u200bn' }).where('id', '=', idOf(ann)).execute();
    });
    await ctx.settings.refresh();
    const { linkId } = await share(ann);
    for (const path of ['/', '/sign-in', `/link/${linkId}`, '/forgot']) {
      const { text } = await new Visitor(app.url).get(path);
      assert.doesNotMatch(text, /[\u200b\u202e\u{e0041}]/u, path);
      assert.match(text, /U\+E0041/, path);
    }
    const shell = await (await browserOf(app, ben.email, password)).get('/app');
    assert.match(shell.text, /<title>North\[U\+E0041\]light\[U\+202E\]<\/title>/);
    assert.doesNotMatch(shell.text, /[\u202e\u{e0041}]/u);
    const frame = { organisationName, productName: 'Waybill', contactAddress: null, baseUrl: 'https://x.example' };
    const { sender } = composeMail({ compose: () => ({}) } as never, {} as never, { ...frame, locale: 'en' } as never);
    assert.equal(sender.organisation, marked);
  });
});

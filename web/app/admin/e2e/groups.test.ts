import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { passwordOf, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('groups in the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    await fixture.app.group('Staff', { match_domains: ['north.example'] });
    await fixture.app.group('Auditors', { role: 'auditor' });
    fixture.people.watch = await fixture.app.person('watch', { password: passwordOf('watch'), group: 'auditors' });
    fixture.people.boss = await fixture.app.person('boss', { password: passwordOf('boss'), group: 'administrators' });
  });

  const groupOf = async (id: string) => {
    const { body } = await fixture.people.admin.expect(200, 'getGroup', { params: { id } });
    return (body as { group: Record<string, unknown> & { version: number } }).group;
  };
  const namesIn = (page: Page) => page.locator('main [data-row] a').allInnerTexts();
  const review = async (page: Page) => {
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review and save' });
    await dialog.waitFor(); // counting rows does not wait
    return dialog;
  };
  const openSection = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click();
  const setting = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  it('are listed in order and moved by keyboard; the focus stays with the group', async () => {
    const visit = await fixture.show('/admin/groups', 'admin');
    const { page } = visit;
    await page.getByRole('link', { name: 'Staff' }).waitFor();
    const before = await namesIn(page);
    await page.getByRole('button', { name: 'Move Staff up' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#announcer')?.textContent?.includes('Moved to position'));
    const after = await namesIn(page);
    assert.equal(after.indexOf('Staff'), before.indexOf('Staff') - 1);
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Move Staff up');
    await visit.assertAccessible();
    await visit.close();
  });

  it('show which group an address would get, and why', async () => {
    const visit = await fixture.show('/admin/groups', 'boss', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByLabel('E-mail address').fill('ann@north.example');
    await page.keyboard.press('Enter');
    await page.getByText('Staff: it claims the domain of this address.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Move/ }).count(), 0, 'administrators only look');
    await visit.assertAccessible();
    await visit.close();
  });

  it('are created from a copy', async () => {
    const visit = await fixture.show('/admin/groups', 'admin');
    const { page } = visit;
    await page.getByRole('button', { name: 'New group' }).click();
    const dialog = page.getByRole('dialog', { name: 'New group' });
    await dialog.getByLabel('Name of the group').fill('Copies');
    await dialog.getByRole('combobox', { name: 'Start with the settings of' }).click();
    await page.getByRole('option', { name: 'External Users' }).click();
    await dialog.getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Copies' }).waitFor();
    assert.equal((await groupOf('copies')).is_local, false);
    await visit.close();
  });

  it('ask before unsaved changes are lost by a link, Back, or closing the tab', async () => {
    const visit = await fixture.show('/admin/groups', 'admin');
    const { page } = visit;
    await page.getByRole('link', { name: 'Staff' }).click();
    await openSection(page, 'Messages');
    const days = setting(page, 'Message expiry').getByLabel('Default (days)');
    await days.fill('9');
    const ask = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await ask.getByRole('button', { name: 'Keep editing' }).click();
    await ask.waitFor({ state: 'hidden' });
    await page.goBack();
    await ask.waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await ask.waitFor({ state: 'hidden' });
    assert.equal(await days.inputValue(), '9', 'nothing was lost by asking');
    const reload = () => page.evaluate(() => void setTimeout(() => location.reload()));
    const [question] = await Promise.all([page.waitForEvent('dialog'), reload()]);
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await ask.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await visit.close();
  });

  it('show one section at a time, conflicts and warnings at the row, and all sections in a search', async () => {
    const visit = await fixture.show('/admin/groups/staff', 'admin');
    const { page } = visit;
    const headings = page.locator('main fieldset h2');
    assert.deepEqual(await headings.allInnerTexts(), ['Members']);
    await openSection(page, 'Messages');
    await page.getByRole('heading', { level: 2, name: 'Messages' }).waitFor();
    assert.deepEqual(await headings.allInnerTexts(), ['Messages']);
    const expiry = setting(page, 'Message expiry');
    await expiry.getByLabel('Default (days)').fill('200');
    await expiry.getByText('The default is longer than the maximum.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Review and save' }).getAttribute('aria-disabled'), 'true');
    await setting(page, 'Who can download').getByLabel('anyone with the link', { exact: true }).check();
    await page.getByText('Anyone who gets the link can download without confirming an address.').waitFor();
    await visit.assertAccessible();
    await openSection(page, 'Links');
    await page.getByRole('link', { name: 'Messages Needs a correction 2 changed' }).waitFor();
    await page.getByLabel('Search in settings').fill('inactiv');
    await setting(page, 'Remove after inactivity').waitFor();
    await page.getByLabel('Search in settings').fill('address');
    assert.deepEqual(await headings.allInnerTexts(), ['Members', 'Messages', 'Drop pages']);
    await openSection(page, 'Links');
    assert.deepEqual(await headings.allInnerTexts(), ['Links']);
    await page.getByRole('button', { name: 'Undo all' }).click();
    await page.getByRole('button', { name: 'Undo all' }).waitFor({ state: 'hidden' });
    await visit.close();
  });

  it('preview what people would read, and mark the sentences that change', async () => {
    const visit = await fixture.show('/admin/groups/staff?section=messages', 'admin');
    const { page } = visit;
    const preview = page.getByRole('complementary', { name: 'What they see' });
    await preview.getByText('30 days').waitFor();
    assert.equal(await preview.locator('[data-mark]:not([data-mark="same"])').count(), 0);
    await setting(page, 'Message expiry').getByLabel('Default (days)').fill('20');
    await preview.locator('[data-mark="changed"]').filter({ hasText: '20 days' }).waitFor();
    assert.match(await preview.locator('del').innerText(), /30 days/);
    await openSection(page, 'Links');
    await page.getByRole('switch', { name: 'May set a password' }).click();
    await preview.locator('del').filter({ hasText: 'password' }).waitFor();
    await preview.getByText('20 days').waitFor();
    await visit.assertAccessible();
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.mouse.wheel(0, 400);
    const top = () => preview.evaluate((element) => element.getBoundingClientRect().top);
    const y = await top();
    assert.ok(y >= 0, `the preview stays in view, not at ${y}`);
    await page.getByRole('button', { name: 'Undo all' }).click();
    await visit.close();
  });

  it('have switches that are named after the setting, without a second word for their state', async () => {
    const visit = await fixture.show('/admin/groups/staff', 'admin');
    const { page } = visit;
    const switches = page.getByRole('switch');
    await switches.first().waitFor();
    await page.getByRole('switch', { name: 'May send messages' }).waitFor();
    for (const text of await page.locator('main fieldset label').allInnerTexts())
      assert.doesNotMatch(text, /^(On|Off)$/);
    await visit.close();
  });

  it('with sixty changed settings are reviewed, old and new, and saved', async () => {
    await fixture.app.group('Sixty');
    await fixture.app.group('Model', await sixtyChanges());
    const visit = await fixture.open('/admin/groups/sixty', 'admin');
    const { page } = visit;
    await setting(page, 'Kind').getByLabel('Outside people').check();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { level: 1, name: 'Compare Sixty' }).waitFor();
    await page.getByRole('combobox', { name: 'Compare with' }).click();
    await page.getByRole('option', { name: 'Model' }).click();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Copy all', exact: true }).click();
    await page.getByText('All settings are the same.').waitFor();
    await page.getByRole('button', { name: 'Undo Largest message' }).click();
    await page.getByText('1 setting differs.').waitFor();
    await page.getByRole('button', { name: 'Copy Largest message' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Sixty' }).click();
    await setting(page, 'Who belongs here').getByLabel('Who belongs here').fill('sixty.example, more.example');
    await setting(page, 'Group name').getByLabel('Group name').fill('Sixty changes');
    const dialog = await review(page);
    const rows = await dialog.locator('tbody tr').count();
    assert.ok(rows >= 60, `${rows} changes`);
    await dialog.getByText(`${rows} changes`).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForFunction(() => document.querySelector('#announcer')?.textContent?.startsWith('Saved.'));
    const [saved, model] = [await groupOf('sixty'), await groupOf('model')];
    for (const key of ['message_max_size', 'client_size_override', 'filelink_max_expiration', 'page_title'])
      assert.equal(saved[key], model[key], key);
    assert.deepEqual([saved.name, saved.match_domains], ['Sixty changes', ['sixty.example', 'more.example']]);
    await visit.close();
  });

  /** Another valid value for every setting of a group. */
  async function sixtyChanges(): Promise<Record<string, unknown>> {
    const { body } = await fixture.people.admin.expect(200, 'listPolicySettings');
    const { settings } = body as { settings: { key: string; kind: string; default: unknown; max?: number }[] };
    const other: Record<string, unknown> = {};
    for (const { key, kind, default: usual } of settings) {
      if (kind === 'flag') other[key] = usual !== true;
      else if (kind === 'number') other[key] = Number(usual) + 3;
      else if (kind === 'text') other[key] = key === 'message_recipient_pattern' ? '.*' : 'Other';
      else if (kind === 'domains') other[key] = ['harbour.example'];
      else if (kind === 'networks') other[key] = ['10.0.0.0/8'];
    }
    return {
      ...other,
      is_local: false,
      message_can_use_specified_recipients_and_domains: true,
      message_default_authorization: 4,
      message_default_expires_after: 2,
      permitted_extensions: 'pdf',
      blocked_extensions: '',
      require_second_factor: 'off',
      file_request_permission: 2,
      client_custom_settings: { colour: 'blue' },
    };
  }

  it('let two administrators save concurrently: the second chooses setting by setting', async () => {
    const visit = await fixture.show('/admin/groups/staff', 'admin');
    const { page } = visit;
    visit.expectStatus(409);
    await openSection(page, 'Messages');
    await setting(page, 'Largest message').getByLabel('MB').fill('100');
    await openSection(page, 'Members');
    await setting(page, 'Stay signed in for').getByLabel('hours').fill('5');
    const other = await fixture.app.person('otto', { group: 'system-administrators' });
    await other.expect(200, 'changeGroup', {
      params: { id: 'staff' },
      body: { group: { message_max_size: 200, can_invite_users: true } },
    });
    const dialog = await review(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const merge = page.getByRole('dialog', { name: 'Someone else has saved in the meantime' });
    await merge.getByLabel('Yours: 100.0 MB').waitFor();
    await merge.getByText('otto@example.com changed May invite people to On.').waitFor();
    await visit.assertAccessible();
    await merge.getByLabel('otto@example.com: 200.0 MB').check();
    await merge.getByRole('button', { name: 'Continue' }).click();
    await merge.waitFor({ state: 'hidden' });
    const again = await review(page);
    assert.equal(await again.locator('tbody tr').count(), 1);
    await again.getByRole('button', { name: 'Save' }).click();
    await again.waitFor({ state: 'hidden' });
    const saved = await groupOf('staff');
    assert.deepEqual([saved.message_max_size, saved.session_hours, saved.can_invite_users], [200, 5, true]);
    await visit.close();
  });

  it('have a history that restores old values, and a dry run on past transfers', async () => {
    const visit = await fixture.show('/admin/groups/staff', 'admin');
    const { page } = visit;
    await page.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('dialog', { name: 'History' });
    await history.getByText('Stay signed in for: 24 hours → 5 hours').waitFor();
    await visit.assertAccessible();
    await history.getByRole('button', { name: 'Restore the old values' }).first().click();
    await history.waitFor({ state: 'hidden' });
    assert.equal((await groupOf('staff')).session_hours, 24);
    await page.getByRole('button', { name: 'Test on past transfers' }).click();
    await page
      .getByRole('dialog', { name: 'Test on past transfers' })
      .getByText('No difference in 0 transfers.')
      .waitFor();
    await visit.close();
  });

  it('explain the rules for a message', async () => {
    const visit = await fixture.show('/admin/groups/staff', 'admin');
    const { page } = visit;
    await page.getByRole('button', { name: 'Explain' }).click();
    const dialog = page.getByRole('dialog', { name: 'Explain' });
    await dialog.getByLabel('From (e-mail address)').fill('alice@example.com');
    await dialog.getByLabel('To', { exact: true }).fill('nobody');
    await page.keyboard.press('Enter');
    await dialog.getByText('It would be refused:').waitFor();
    await dialog.getByLabel('To', { exact: true }).fill('ben@harbour.example');
    await page.keyboard.press('Enter');
    await dialog.getByText('This message would be sent.').waitFor();
    await visit.close();
  });

  it('are read-only for auditors, also on a small screen in dark mode', async () => {
    const visit = await fixture.show('/admin/groups/staff?section=messages', 'watch', {
      width: 'narrow',
      scheme: 'dark',
    });
    const { page } = visit;
    await page.getByText('You can look at this but not change it.').waitFor();
    assert.ok(await setting(page, 'Largest message').getByLabel('MB').isDisabled());
    await page.getByRole('heading', { name: 'What they see' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Review and save' }).count(), 0);
    await visit.assertAccessible();
    await visit.close();
  });
});

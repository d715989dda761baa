import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openIdClient, startOpenIdProvider } from '#test/kit/openid-provider.ts';
import { skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('sign-in services in the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture({
    environment: {
      WAYBILL_ROLE: 'web',
      WAYBILL_LDAP_URL: 'ldaps://ldap.example',
      WAYBILL_LDAP_BASE_DN: 'dc=example',
      WAYBILL_LDAP_BIND_PASSWORD: 'from the environment',
    },
  });

  it('shows a service of the environment without its secrets, and offers no change', async () => {
    const { page, assertAccessible } = await fixture.open('/admin/sign-in-services', 'admin', { width: 'narrow' });
    await page.getByRole('heading', { name: 'SCIM 2.0' }).waitFor();
    await assertAccessible();
    await page.getByRole('link', { name: 'LDAP', exact: true }).click();
    await page.getByText('This service comes from the environment of the server.').waitFor();
    await page.getByText('ldaps://ldap.example').waitFor();
    await assertAccessible();
    assert.equal(await page.getByText('from the environment', { exact: true }).count(), 0);
    await page.getByText('WAYBILL_LDAP_URL', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  });

  it('names the step that fails before a service is saved, then saves it switched off, and keeps its secret', async () => {
    const { page, assertAccessible } = await fixture.open('/admin/sign-in-services', 'admin');
    await page.getByRole('button', { name: 'Add OpenID Connect' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Fill in this field.').first().waitFor();
    await page.getByLabel('Label on the sign-in page').fill('Northlight ID');
    await page.getByLabel('Issuer', { exact: true }).fill('http://127.0.0.1:1');
    await page.getByLabel('Client id', { exact: true }).fill('waybill');
    await page.getByLabel('Client secret', { exact: true }).fill('very secret');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page
      .getByText(/ECONNREFUSED|fetch failed|connect/i)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Northlight ID' }).waitFor();
    assert.equal(await page.getByLabel('Client secret', { exact: true }).inputValue(), '');
    await page.getByText('Nobody has signed in through this service yet.').waitFor();
    await assertAccessible();
    await page.getByRole('button', { name: 'Back to all services' }).click();
    await page.getByRole('link', { name: 'Northlight ID' }).waitFor();
  });

  it('tests a service in a second window before it is saved, and shows what would happen', async () => {
    const provider = await startOpenIdProvider();
    provider.claims = { sub: 's1', email: 'pia@example.com', email_verified: true, groups: ['staff'] };
    const { page, assertAccessible } = await fixture.open('/admin/sign-in-services', 'admin');
    try {
      await page.getByRole('button', { name: 'Add OpenID Connect' }).click();
      await page.getByLabel('Label on the sign-in page').fill('Harbour');
      await page.getByLabel('Who gets an account at the first sign-in').click();
      await page.getByRole('option', { name: 'everyone' }).click();
      await page.getByLabel('Issuer', { exact: true }).fill(provider.issuer);
      await page.getByLabel('Client id', { exact: true }).fill(openIdClient.client_id);
      await page.getByLabel('Client secret', { exact: true }).fill(openIdClient.client_secret);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      const opened = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'Test sign-in in a second window' }).click();
      const second = await opened;
      const said = 'Would create the account pia@example.com in the group Local Users.';
      await second.getByText(said).waitFor();
      await second.getByText('p•••@example.com').first().waitFor();
      await second.close();
      await page.getByText(said).waitFor();
      await assertAccessible();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Harbour' }).waitFor();
    } finally {
      await provider.close();
    }
  });

  it('creates a token of SCIM that is shown once', async () => {
    const { page } = await fixture.open('/admin/sign-in-services', 'admin');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel('Name of the token').fill('Directory');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a token' }).click();
    await page.getByText('It is shown only now.').waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText(/Directory · created on/).waitFor();
  });

  it('connects an identity with a person by hand, with a reason, and disconnects it', async () => {
    const { page, assertAccessible } = await fixture.open('/admin/people/alice-example-com', 'admin');
    await page.getByRole('button', { name: 'Connect an identity' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id at the service').fill('uuid-of-alice');
    await dialog.getByLabel(/Reason/).fill('Moved to the directory');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('uuid-of-alice').waitFor();
    await assertAccessible();
    await page.getByRole('button', { name: 'Disconnect LDAP' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No identity of a sign-in service is connected.').waitFor();
  });
});

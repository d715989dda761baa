// Passkeys of accounts and of recipients in Chromium, with its virtual authenticator.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { engines } from '#test/kit/engines.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { launchBrowser, openContext, skipWithoutBrowser } from '#web/pages/e2e/browser.fixture.ts';

const password = 'seven lamps under a quiet river';

describe('passkeys in a browser', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  let app: TestApp;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let device: VirtualDevice;
  let base: string;
  let otherSite: Server;
  before(async () => {
    browser = await launchBrowser();
    app = await startTestApp(engines[0]!, { ...mailbox.options, hostName: 'localhost' });
    base = app.app.ctx.settings.surroundings.baseUrl;
    otherSite = createServer((_, response) => response.end('<!doctype html><title>Another site</title>'));
    await new Promise<void>((resolve) => otherSite.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await browser?.close();
    await app?.close();
    otherSite?.close();
  });
  beforeEach(async () => {
    context = await openContext(browser, { locale: 'en-GB', viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    page.setDefaultTimeout(120_000);
    device = await openDevice(page);
  });
  afterEach(() => context.close());

  const alert = (text: RegExp | string) => page.getByText(text).first().waitFor();
  const usePasskey = async (name = 'Use a passkey') => page.getByRole('button', { name }).click();

  /** What a page of ours offers, answered on this page without the script. */
  const answerFor = (options: string, changes: object = {}) =>
    page.evaluate(
      async ([json, more]) => {
        const bytes = (text: string) =>
          Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
        const given = JSON.parse(json) as { challenge: string };
        const publicKey = { ...given, challenge: bytes(given.challenge), allowCredentials: [], ...more };
        const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
        return JSON.stringify(credential.toJSON());
      },
      [options, changes] as const,
    );
  const optionsOn = async (path: string): Promise<string> => {
    await page.goto(`${base}${path}`);
    return (await page.locator('[data-passkey]').first().getAttribute('data-passkey'))!;
  };
  /** Submits a credential in the form of the button, as the script does. */
  const submitCredential = (credential: string) =>
    page.evaluate((text) => {
      const part = document.querySelector('[data-passkey]')!;
      part.querySelector('input')!.value = text;
      const button = part.querySelector('button')!;
      button.form!.requestSubmit(button);
    }, credential);
  const answerElsewhere = async (options: string) => {
    await page.goto(`http://localhost:${(otherSite.address() as AddressInfo).port}/`);
    return answerFor(options);
  };

  describe('of an account', () => {
    let email: string;
    let people = 0;
    beforeEach(async () => {
      email = (await app.person(`alice${++people}`, { password })).email;
      await page.goto(`${base}/sign-in`);
      await page.getByLabel('E-mail').fill(email);
      await page.locator('[name="password"]').fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.goto(`${base}/app/account/security`);
      await page.getByRole('button', { name: 'Add passkey' }).click();
      await page.getByRole('dialog').locator('input[type="password"]').fill(password);
      await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('My laptop');
      await page.getByRole('dialog').getByRole('button', { name: 'Create passkey' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText('My laptop').first().waitFor();
      await context.clearCookies();
    });

    const signIn = async () => {
      await page.goto(`${base}/sign-in`);
      await usePasskey('Sign in with a passkey');
    };
    const isSignedIn = async () => {
      await page.goto(`${base}/sign-in`);
      return new URL(page.url()).pathname.startsWith('/app');
    };

    it('signs in without a password, until it is removed', async () => {
      await signIn();
      await page.waitForURL(`${base}/app**`);
      await page.goto(`${base}/app/account/security`);
      await page.getByRole('button', { name: 'Actions for My laptop' }).click();
      await page.getByRole('menuitem', { name: /Remove/ }).click();
      await page.getByRole('dialog').locator('input[type="password"]').fill(password);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Remove/ })
        .click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await context.clearCookies();
      await signIn();
      await alert('This passkey isn’t set up here.');
      assert.equal(await isSignedIn(), false);
    });

    it('is refused when its counter goes back', async () => {
      await signIn();
      await page.waitForURL(`${base}/app**`);
      await context.clearCookies();
      await device.setCounter(0);
      await signIn();
      await alert('This passkey can’t be used any more.');
      assert.equal(await isSignedIn(), false);
    });

    it('is refused when it answered at another site', async () => {
      const credential = await answerElsewhere(await optionsOn('/sign-in'));
      await page.goto(`${base}/sign-in`);
      await submitCredential(credential);
      await alert('Your passkey couldn’t be checked.');
      assert.equal(await isSignedIn(), false);
    });

    it('is refused when the device did not verify its user', async () => {
      await device.setVerified(false);
      await signIn();
      await alert('That didn’t work.');
      const credential = await answerFor(await optionsOn('/sign-in'), { userVerification: 'discouraged' });
      await submitCredential(credential);
      await alert('Your passkey couldn’t be checked.');
      assert.equal(await isSignedIn(), false);
    });
  });

  describe('of a recipient', () => {
    let address: string;
    let target: string;
    let sender: Awaited<ReturnType<TestApp['person']>>;
    let people = 0;
    before(async () => {
      const group = await app.group('Passkeys', { recipient_passkey: 'required_once_enrolled' });
      sender = await app.person('sven', { group });
    });
    const messageTo = async (recipient: string) => {
      const attachments = [inlineFile('plan.txt', 'the plan')];
      return `/message/${(await sendMessage(sender, { recipients: [recipient], subject: 'Plans', attachments })).id}`;
    };
    beforeEach(async () => {
      address = `rita${++people}@harbour.example`;
      target = await messageTo(address);
      await page.goto(base + target);
      await page.locator('[name="address"]').fill(address);
      await page.getByRole('button', { name: 'Send code' }).click();
      const [mail] = await mailbox.postTo(app, address);
      await page.locator('[name="code"]').fill(codeIn(mail!));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('link', { name: /set up a passkey/ }).click();
      await page.getByRole('button', { name: 'Create a passkey' }).click();
      await page.getByText(/^Created/).waitFor();
    });
    const open = async (path = target) => {
      await context.clearCookies();
      await page.goto(base + path);
      await usePasskey();
    };
    const opened = () => page.getByText('plan.txt').first().waitFor();
    const isOpen = async () => {
      await page.goto(base + target);
      return (await page.getByText('plan.txt').count()) > 0;
    };

    it('opens the next message with one touch, until it is removed', async () => {
      await open(await messageTo(address));
      await opened();
      await page.getByRole('link', { name: 'Your passkeys' }).click();
      await page.getByRole('button', { name: /^Remove/ }).click();
      await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
      await usePasskey();
      await alert('This passkey isn’t set up here.');
      assert.equal(await isOpen(), false);
    });

    it('is refused when its counter goes back', async () => {
      await open();
      await opened();
      await device.setCounter(0);
      await open();
      await alert('This passkey can’t be used any more.');
      assert.equal(await isOpen(), false);
    });

    it('is refused when it answered at another site, or did not verify its user', async () => {
      await context.clearCookies();
      const elsewhere = await answerElsewhere(await optionsOn(target));
      await page.goto(base + target);
      await submitCredential(elsewhere);
      await alert('Your passkey couldn’t be checked.');
      await device.setVerified(false);
      await open();
      await alert('That didn’t work.');
      await submitCredential(await answerFor(await optionsOn(target), { userVerification: 'discouraged' }));
      await alert('Your passkey couldn’t be checked.');
      assert.equal(await isOpen(), false);
    });

    it('needs a script, which the page says without one', async () => {
      const plain = await openContext(browser, { javaScriptEnabled: false, locale: 'en-GB' });
      const visit = await plain.newPage();
      await visit.goto(base + target);
      assert.match(await visit.locator('noscript').first().innerHTML(), /Passkeys need JavaScript/);
      assert.equal(await visit.getByRole('button', { name: 'Use a passkey' }).count(), 0);
      assert.equal(await visit.getByRole('button', { name: 'Send code' }).count(), 1);
      await plain.close();
    });
  });
});

interface VirtualDevice {
  /** As a copy of the device would. */
  setCounter(count: number): Promise<void>;
  setVerified(isVerified: boolean): Promise<void>;
}

async function openDevice(page: Page): Promise<VirtualDevice> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async setCounter(count) {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
      await session.send('WebAuthn.clearCredentials', { authenticatorId });
      for (const credential of credentials)
        await session.send('WebAuthn.addCredential', {
          authenticatorId,
          credential: { ...credential, signCount: count },
        });
    },
    async setVerified(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
  };
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { screenTitle, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

describe('text at 200 % on a phone', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture({}, { textPercent: 200 });

  it('leaves the title visible, also with a long name of the organisation', async () => {
    const branding = { organisation_name: 'Northlight Architects and Engineers of the Northern Harbour' };
    await fixture.app.admin.expect(200, 'changeBranding', { body: { branding } });
    const visit = await fixture.open('/send', 'alice', { width: 'narrow' });
    const isOnTop = await visit.page.locator(screenTitle).evaluate((title) => {
      const brand = document.querySelector('header')!.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(title);
      const text = range.getBoundingClientRect();
      const names = Array.from(document.querySelectorAll('header bdi'), (name) => name.getBoundingClientRect());
      const isCovered = names.some(({ height, bottom }) => height > 0 && bottom > text.top);
      return text.top >= brand.bottom && !isCovered;
    });
    assert.ok(isOnTop);
    await visit.close();
  });
});

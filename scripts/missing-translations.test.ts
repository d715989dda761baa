import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CheckStep, runSteps } from './check-steps.ts';
import { findMissingTranslations } from './missing-translations.ts';
import { repositoryRoot } from './source-files.ts';

test('a text or a file that a language lacks is listed by language, file and key', (t) => {
  const locales = mkdtempSync(join(tmpdir(), 'waybill-locales-'));
  t.after(() => rmSync(locales, { recursive: true, force: true }));
  cpSync(join(repositoryRoot, 'locales'), locales, { recursive: true });
  const path = join(locales, 'de', 'mail.json');
  const { 'mail.plainWarning': _, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  writeFileSync(path, JSON.stringify(rest));
  rmSync(join(locales, 'sv', 'checks.json'));
  const missing = findMissingTranslations(locales);
  assert.ok(missing.includes('de/mail.json: mail.plainWarning'));
  assert.ok(missing.includes('sv/checks.json: https.plain'));
});

test('missing translations are printed by a check and fail a release', async () => {
  const step: CheckStep = { name: 'translations', run: async () => 'de/mail.json: x', isForReleases: true };
  const lines: string[] = [];
  assert.deepEqual(await runSteps([step], (line) => lines.push(line)), []);
  assert.ok(lines.some((line) => line.includes('de/mail.json: x')));
  assert.deepEqual(await runSteps([step], () => {}, { isRelease: true }), ['check: translations']);
});

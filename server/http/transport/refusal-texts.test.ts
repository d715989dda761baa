// Reads the sources as text, so that it finds a new refusal without a translation.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import english from '../../../locales/en/refusals.json' with { type: 'json' };
import { Problem } from '../../domain/problem.ts';
import { refusalText, translatedRefusal } from './refusal-texts.ts';

const root = join(import.meta.dirname, '../..');
const sentences: Record<string, string> = english;

/** Only programs or an operator can cause these; they get English. */
const forPrograms = [
  /^(idempotency|downloads|messages|credentials|mail_template)\./,
  /^request\.(malformed|method_not_allowed|not_json|bad_json|bad_encoding|not_form|form_type|unknown_expectation)$/,
  /^request\.(foreign_host|for_programs)$/,
  /^attachment\.(no_file|no_filename|bad_filename|no_data|one_file)$/,
  /^(link\.(needs_password|wrong_password)|(link|message)\.needs_address|message\.not_for_address)$/,
  /^evidence\.(no_checkpoint|bad_cosignature|future_cosignature|too_many_witnesses|not_found)$/,
  /^evidence\.(witness_not_admitted|bad_witness_key|witness_in_policy|witness_not_asked)$/,
  /^upload\.(bad_pieces|piece_too_large)$/,
  /^group\.(unknown_setting|bad_setting|contradiction)$/,
  /^(request|api_key)\.setting_locked$/,
  /^(link\.bad_limit|message\.bad_authorization|message\.body_too_large|user\.no_email|user\.not_active|api_key\.too_many)$/,
];
const isForPrograms = (code: string) => forPrograms.some((pattern) => pattern.test(code));

/** Values of the variable part of composed codes. */
const varying: Record<string, string[]> = {
  noun: ['message', 'link', 'request', 'api_key'],
  holder: ['message', 'link'],
  fault: ['missing', 'bad_host', 'bad_address', 'bad_sender', 'bad_certificate', 'bad_dkim_key'],
  failed: ['elsewhere', 'old', 'too_many', 'used'],
  flaw: ['missing', 'bad_choice', 'bad_url', 'bad_ldap_url', 'bad_interval', 'bad_date'],
  refused: [
    'address_taken',
    'bad_answer',
    'changed',
    'denied',
    'disabled',
    'expired',
    'groups_absent',
    'groups_overage',
    'link_needs_code',
    'link_wrong_code',
    'no_account',
    'no_address',
    'no_group',
    'no_subject',
    'proof_needed',
    'unreachable',
  ],
  refusal: ['too_short', 'too_long', 'too_common', 'contains_name'],
};

interface Site {
  code: string;
  /** Null if the sentence is composed elsewhere. */
  sentence: string | null;
  /** The call with its chained calls. */
  text: string;
  where: string;
}

const sites = sourceFiles().flatMap(sitesIn);

describe('the refusals of the server', () => {
  it('are found in the source files', () => {
    assert.ok(sites.length > 250, `${sites.length}`);
    for (const code of [
      'message.not_later',
      'page.not_found',
      'api_key.expiry_past',
      'tries.too_many',
      'upload.too_many',
    ])
      assert.ok(
        sites.some((site) => site.code === code),
        code,
      );
  });

  it('each have a sentence in every language, unless only a program can meet them', () => {
    const missing = sites.filter(({ code }) => !(code in sentences) && !isForPrograms(code));
    assert.deepEqual([...new Set(missing.map(({ code, where }) => `${code} (${where})`))], []);
  });

  it('are the only ones in the catalogue', () => {
    const known = new Set(sites.map(({ code }) => code));
    assert.deepEqual(
      Object.keys(sentences).filter((code) => !known.has(code) || isForPrograms(code)),
      [],
    );
  });

  it('have the same English sentence as the catalogue', () => {
    const wrong = Object.keys(sentences).filter((code) => {
      const written = sites
        .filter((site) => site.code === code && site.sentence !== null)
        .map(({ sentence }) => sentence!);
      const isPlain = !/, (plural|select),/.test(sentences[code]!) && !inOtherWords.has(code);
      return (
        isPlain && written.length > 0 && !written.some((sentence) => shapeOf(sentence) === shapeOf(sentences[code]!))
      );
    });
    assert.deepEqual(wrong, []);
  });

  it('have the values their sentence names', () => {
    const lacking = sites.flatMap(({ code, text, where }) => {
      const names = [...(sentences[code] ?? '').matchAll(/\{(\w+)(?=[,}])/g)].map((match) => match[1]!);
      const own = [...new Set(names)].filter((name) => name !== 'field' && name !== 'wait' && name !== 'domains');
      return own
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(text.split('.withValues(')[1] ?? ''))
        .map((name) => `${code} at ${where} lacks ${name}`);
    });
    assert.deepEqual(lacking, []);
  });
});

describe('a refusal', () => {
  const reader = (locale: string) => ({ locale, timeZone: 'Europe/Stockholm' });
  const late = () =>
    new Problem('invalid', 'message.expiry_too_late', 'In English.').withValues({ date: { date: '2026-11-30' } });

  it('keeps the server’s sentence for readers of English, and if it is not translated', () => {
    assert.equal(translatedRefusal(late(), reader('en')), null);
    assert.equal(refusalText(late(), reader('en-GB')), 'In English.');
    assert.equal(translatedRefusal(new Problem('invalid', 'no.such_code', 'In English.'), reader('de')), null);
  });

  it('names days, moments, sizes, lists and waits in the language of the reader', () => {
    assert.match(refusalText(late(), reader('de')), /bis Montag, 30\. November 2026\.$/);
    assert.match(refusalText(late(), reader('fr')), /jusqu’au lundi 30 novembre 2026\.$/);
    const size = new Problem('too_large', 'logo.too_large', '').withValues({ size: { bytes: 512 * 1024 } });
    assert.equal(refusalText(size, reader('fr')), 'Un logo peut faire 512\u00a0Ko au plus.');
    const wait = new Problem('rate_limited', 'tries.too_many', '', { retryAfterSeconds: 600 });
    assert.match(refusalText(wait, reader('sv')), /^För många försök\. Vänta 10.minuter och/);
    const types = new Problem('invalid', 'attachment.extension_not_permitted', '').withValues({
      rule: 'only',
      types: { anyOf: ['.pdf', '.txt'] },
    });
    assert.match(refusalText(types, reader('es')), /archivos \.pdf o \.txt\./);
    const soon = new Problem('invalid', 'message.reminder_too_soon', '').withValues({
      address: 'ben@harbour.example',
      moment: { instant: Date.UTC(2026, 10, 15, 13, 2) },
    });
    assert.match(refusalText(soon, reader('de')), /15\.11\.2026, 14:02\.$/);
  });

  it('falls back to English when a value is missing', () => {
    assert.equal(refusalText(new Problem('invalid', 'message.not_later', 'In English.'), reader('de')), 'In English.');
  });
});

/** Their sentence in the sources is for programs. */
const inOtherWords = new Set([
  ...['code.wait', 'filedrop.too_many', 'link.not_found', 'password.too_short'],
  ...[
    'attachment.not_found',
    'api_key.not_found',
    'logo.missing',
    'logo.not_usable',
    'request.invalid',
    'request.timeout',
  ],
  ...['request.bad_form', 'request.too_large', 'upload.conflict', 'group.shipped', 'user.self', 'download.too_many'],
  ...[
    'upload.too_many',
    'request.too_many',
    'attachment.not_permitted',
    'attachment.form_too_large',
    'submission.too_large',
  ],
  ...[
    'logo.too_large',
    'message.too_large',
    'link.expiry_locked',
    'link.attachment_damaged',
    'message.attachment_damaged',
  ],
]);

function shapeOf(sentence: string): string {
  return sentence
    .replaceAll(/\$?\{[^{}]*\}/g, '*')
    .replaceAll(/"([^"]*)"/g, '“$1”')
    .replaceAll("'", '’');
}

function sourceFiles(): string[] {
  return ['actions', 'domain', 'http', '../contract'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
}

function sitesIn(file: string): Site[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/\b(new Problem|invalid|notFound|tooMany|refuse|refusal)\(/g)].flatMap((match) => {
    if (/function $/.test(source.slice(0, match.index))) return [];
    const text = callAt(source, match.index + match[0].length);
    const [first, second, third] = literalsIn(text);
    const line = source.slice(0, match.index).split('\n').length;
    const where = `${file}:${line}`;
    if (match[1] === 'notFound') {
      if (first === undefined) return [];
      return [{ code: `${first.replaceAll(' ', '_')}.not_found`, sentence: second ?? null, text, where }];
    }
    // Reminders add the prefix `message.` and the address.
    if (match[1] === 'refuse')
      return first === undefined || !file.endsWith('messages/reminders.ts')
        ? []
        : [{ code: `message.${first}`, sentence: second ?? null, text: `${text}.withValues(address ${text}`, where }];
    const [code, sentence] = match[1] === 'new Problem' ? [second, third] : [first, second];
    if (code === undefined || !/^[a-z_${}.]+\.[a-z_${}]+$/i.test(code)) return [];
    const isFromTable = /\$\{(failed|refusal|refused|flaw)\}/.test(code);
    return expand(code).map((one) => ({ code: one, sentence: isFromTable ? null : (sentence ?? null), text, where }));
  });
}

/** `${rule.noun}.bad_date` is one code for each noun. */
function expand(code: string): string[] {
  const [whole, name] = /\$\{(?:\w+\.)?(\w+)\}/.exec(code) ?? [];
  if (whole === undefined) return [code];
  return (varying[name!] ?? []).map((part) => code.replace(whole, part));
}

/** Chained calls included. */
function callAt(source: string, start: number): string {
  let depth = 1;
  let end = start;
  while (depth > 0 && end < source.length) {
    if (source[end] === '(') depth += 1;
    if (source[end] === ')') depth -= 1;
    end += 1;
  }
  const chained = /^\s*\.withValues\(/.exec(source.slice(end));
  const text = source.slice(start, end);
  return chained === null ? text : `${text}${chained[0]}${callAt(source, end + chained[0].length)}`;
}

function literalsIn(text: string): string[] {
  return [...text.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}

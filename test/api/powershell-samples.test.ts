// The PowerShell of the documents. PowerShell itself is not installed: a strict reader of its quoting, here-strings,
// continued lines and brackets (test/kit/powershell.ts) accepts the samples and computes their requests. No sample is run.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type OpenApi, referenceOf } from '#server/http/api-docs/reference.ts';
import { requestOf, tokensOf } from '#test/kit/powershell.ts';
import { checkCommands } from '#web/checksum.ts';
import { completionScript } from '../../cli/completion.ts';
import openapi from '../../docs/openapi.json' with { type: 'json' };

describe('the reader of PowerShell', () => {
  const refused: Record<string, string> = {
    'a string without end': `Invoke-RestMethod -Method GET -Uri 'http://x`,
    'an apostrophe in a string': `Invoke-RestMethod -Method GET -Uri 'http://x/it's'`,
    'a curly apostrophe in a string': `Invoke-RestMethod -Method GET -Uri 'http://x/it\u2019s'`,
    'a here-string on one line': `$body = @'{}'@\nInvoke-RestMethod -Method POST -Uri 'http://x' -Body $body`,
    'a here-string that ends within a line': `$body = @'\n{}\n  '@\nInvoke-RestMethod -Method POST -Uri 'http://x' -Body $body`,
    'a backtick with a space behind it': "Invoke-RestMethod -Method GET ` \n -Uri 'http://x'",
    'a line that is continued nowhere': "Invoke-RestMethod -Method GET -Uri 'http://x' `",
    'a parameter on its own line': `Invoke-RestMethod -Method GET\n  -Uri 'http://x'`,
    'a brace too few': `$headers = @{ Authorization = "x"\nInvoke-RestMethod -Method GET -Uri 'http://x'`,
    'a bracket too many': `Invoke-RestMethod -Method GET -Uri 'http://x')`,
    'a variable that was never set': `Invoke-RestMethod -Method GET -Uri 'http://x' -Headers $headers`,
    'a parameter that does not exist': `Invoke-RestMethod -Method GET -Url 'http://x'`,
  };
  for (const [what, code] of Object.entries(refused))
    test(`refuses ${what}`, () => {
      assert.throws(() => requestOf(code), SyntaxError);
    });

  test('accepts what PowerShell accepts', () => {
    const code = `# a comment with an apostrophe: it's\n$body = @'\n{ "a": "it's" }\n'@\nInvoke-RestMethod -Method POST \`\n  -Uri 'http://x/it''s' -Body $body`;
    const { url, body } = requestOf(code);
    assert.deepEqual([url, body], ["http://x/it's", '{ "a": "it\'s" }']);
  });
});

describe('the PowerShell of the documents', () => {
  test('makes the same request as the curl of the same call', () => {
    const base = 'https://files.example.com';
    let call = '';
    let count = 0;
    const document = openapi as unknown as OpenApi;
    for (const block of document.tags.flatMap(({ name }) => referenceOf(document, name, base))) {
      if (block.is === 'heading') call = block.id!;
      if (block.is !== 'examples') continue;
      const codeOf = (language: string) => block.examples.find((example) => example.language === language)!.code;
      const curl = codeOf('curl');
      const made = requestOf(codeOf('PowerShell'));
      const [, method, url] = /-X ([A-Z]+) '([^']*)'/.exec(curl)!;
      const json = / -d '([\s\S]*)'$/.exec(curl)?.[1]?.replaceAll(`'\\''`, "'") ?? null;
      const hasKey = curl.includes('$WAYBILL_API_KEY');
      assert.deepEqual([made.method, made.url, made.body], [method, url, json], call);
      assert.deepEqual(made.headers, hasKey ? { Authorization: 'Bearer $env:WAYBILL_API_KEY' } : {}, call);
      assert.equal(made.file, curl.includes('@report.pdf') ? 'report.pdf' : null, call);
      // Without the charset PowerShell before 7.4 sends text in Latin-1.
      const type = json !== null ? 'application/json; charset=utf-8' : made.file && 'application/octet-stream';
      assert.equal(made.type, type, call);
      count += 1;
    }
    assert.ok(count > 100, String(count));
  });

  test('is read without fault in the completion script and in the commands that compare checksums', () => {
    tokensOf(completionScript('powershell'));
    const names = ['report.pdf', "it's.pdf", 'it\u2019s.pdf', '$(calc).pdf', 'a`b.pdf'];
    const files = names.map((name) => ({ name, sha256: 'a'.repeat(64) }));
    const { command } = checkCommands(files).find(({ system }) => system === 'windows')!;
    assert.equal(tokensOf(command).filter(({ kind }) => kind === 'text').length, 2 * files.length);
  });
});

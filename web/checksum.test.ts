import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { checkCommands, nameFitsCommand, posixQuote } from './checksum.ts';

const sha256 = 'a'.repeat(64);

it('never writes a file name into a command that a shell could interpret', () => {
  const dangerous = ["a'b", 'a’b', 'a`b', 'a$b', 'a\\b', 'a;b', 'a|b', 'a\nb', 'a"b', 'a\u202Eb', 'תקציב', 'a*b', ''];
  const longer = [
    "$(rm -rf ~)`reboot`'; echo ‘pwned’.zip",
    '<script>alert("1")</script><img src=x onerror=alert(1)>.pdf',
  ];
  for (const name of [...dangerous, ...longer]) {
    assert.equal(nameFitsCommand(name), false, name);
    for (const { command } of checkCommands([{ name, sha256 }])) {
      assert.match(command, /FILE/);
      assert.match(command, /^[\x20-\x7e]+$/);
    }
  }
});

it('rejects an invalid checksum', () => {
  assert.throws(() => checkCommands([{ name: 'a.pdf', sha256: "'; reboot" }]), RangeError);
});

it('creates a Linux command that accepts the right file and rejects another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  try {
    for (const name of ['plain.pdf', '-rf (1).pdf', 'Ångström 2026, final+.pdf']) {
      const right = createHash('sha256').update(name).digest('hex');
      writeFileSync(join(folder, name), name);
      const run = (sum: string) => {
        const command = checkCommands([{ name, sha256: sum }]).find(({ system }) => system === 'linux')?.command ?? '';
        return execFileSync('sh', ['-c', command], {
          cwd: folder,
          encoding: 'utf8',
          stdio: 'pipe',
          env: { ...process.env, LC_ALL: 'C' },
        });
      };
      assert.match(run(right), /OK/);
      assert.throws(() => run(sha256));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('checks several files with one command that fails when one of them differs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  try {
    const files = ['one.pdf', 'two (2).pdf'].map((name) => {
      writeFileSync(join(folder, name), name);
      return { name, sha256: createHash('sha256').update(name).digest('hex') };
    });
    const run = (list: typeof files) => {
      const command = checkCommands(list).find(({ system }) => system === 'linux')?.command ?? '';
      return execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    };
    assert.equal(run(files).match(/OK/g)?.length, 2);
    assert.throws(() => run([files[0]!, { name: 'two (2).pdf', sha256 }]));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('quotes for a POSIX shell', () => {
  assert.equal(posixQuote("it's $HOME"), `'it'\\''s $HOME'`);
  assert.equal(execFileSync('sh', ['-c', `printf %s ${posixQuote("it's $HOME")}`], { encoding: 'utf8' }), "it's $HOME");
});

// Completion in real shells at a terminal: keys are typed, and the command that the shell runs is compared. Uses a stub
// program.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { useCommandLine } from '#test/kit/command-line.ts';
import { until } from '#test/kit/eventually.ts';
import { shellRequirements } from '#test/kit/servers/packages.ts';

const pretender = `#!/bin/sh
if [ "$1" != __complete ]; then printf '%s\\n' "$@" > ran.new && mv ran.new ran; exit; fi
shift 2; typed=; for typed; do :; done
printf '%s\\n' 'send	Upload: a "message"' 'ben@x.example	' 'host:8080/a	a [thing]' '--subject	the $subject' |
  while IFS= read -r one; do case $one in "$typed"*) printf '%s\\n' "$one";; esac; done
`;
// The folder also has a file “seaside.jpg”, which is offered where no word fits.
const typed = 'waybill se\t--to be\tho\tsea\t--su\tx\r';
const ran = ['send', '--to', 'ben@x.example', 'host:8080/a', 'seaside.jpg', '--subject', 'x'];

describe('completion', () => {
  const line = useCommandLine();
  const script = async (shell: string) => (await line.run(['completion', shell])).out;
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-shell-'));
    writeFileSync(join(folder, 'waybill'), pretender, { mode: 0o755 });
    writeFileSync(join(folder, 'seaside.jpg'), '');
    mkdirSync(join(folder, 'functions'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Types the keys when the shell is ready; returns the resulting command. */
  async function typeKeys(command: string): Promise<string[]> {
    rmSync(join(folder, 'ran'), { force: true });
    const shell = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
      cwd: folder,
      env: { HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8', PATH: `${folder}:/usr/bin:/bin` },
    });
    let shown = '';
    let hasEnded = false;
    shell.stdout.on('data', (bytes: Buffer) => {
      if (!shown.includes('ready>') && `${shown}${bytes}`.includes('ready>')) shell.stdin.write(typed);
      shown += bytes;
    });
    shell.once('close', () => {
      hasEnded = true;
    });
    try {
      return await until(async () => {
        assert.ok(!hasEnded, `the shell ended:\n${shown}`);
        return readFileSync(join(folder, 'ran'), 'utf8').trimEnd().split('\n');
      });
    } finally {
      shell.stdin.destroy();
      shell.kill('SIGKILL');
    }
  }

  test('bash, even with characters that end a word', async () => {
    writeFileSync(join(folder, 'completion'), await script('bash'));
    writeFileSync(join(folder, 'settings'), "PS1='ready> '; . ./completion");
    assert.deepEqual(await typeKeys('bash --noprofile --rcfile settings -i'), ran);
  });

  const [zsh, fish] = shellRequirements.map((shell) => ({ skip: shell.isMet() ? false : `needs ${shell.name}` }));

  test('zsh, from a sourced file', zsh!, async () => {
    writeFileSync(join(folder, 'completion'), await script('zsh'));
    writeFileSync(join(folder, '.zshrc'), "PROMPT='ready> '; autoload -U compinit; compinit -u -D; . ./completion");
    assert.deepEqual(await typeKeys('zsh -i'), ran);
  });

  test('zsh, from the folder of packages, with the first key', zsh!, async () => {
    writeFileSync(join(folder, 'functions', '_waybill'), await script('zsh'));
    writeFileSync(
      join(folder, '.zshrc'),
      `PROMPT='ready> '; fpath=(${folder}/functions $fpath); autoload -U compinit; compinit -u -D`,
    );
    assert.deepEqual(await typeKeys('zsh -i'), ran);
  });

  test('fish', fish!, async () => {
    writeFileSync(join(folder, 'completion'), await script('fish'));
    writeFileSync(
      join(folder, 'settings'),
      'source completion; function fish_prompt; echo "ready> "; end; function fish_greeting; end',
    );
    assert.deepEqual(await typeKeys("fish --no-config --interactive --init-command 'source settings'"), ran);
  });

  test('PowerShell asks the program too; other shells are refused', async () => {
    assert.match(await script('powershell'), /waybill __complete/);
    const tcsh = await line.run(['completion', 'tcsh']);
    assert.deepEqual([tcsh.code, /no completion for/.test(tcsh.err)], [2, true]);
  });
});

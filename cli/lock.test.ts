import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '#test/kit/eventually.ts';
import { takeLock } from './lock.ts';

describe('the lock of a command', { skip: existsSync('/proc/self/stat') ? false : 'no /proc on this system' }, () => {
  let folder: string;
  let parent: ChildProcess;
  /** A zombie process: its parent never reaps it. */
  let ended: number;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-lock-'));
    // It ends once its parent has become a program that never reaps; the shell would.
    const child = 'while ! grep -qx sleep /proc/$$/comm; do :; done';
    parent = spawn('sh', ['-c', `${child} & echo $!; exec sleep 600`], { stdio: ['ignore', 'pipe', 'ignore'] });
    ended = Number(await new Promise((resolve) => parent.stdout!.once('data', resolve)));
    await eventually('it has ended', async () => /\) Z /.test(readFileSync(`/proc/${ended}/stat`, 'utf8')));
  });
  after(() => {
    parent.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const lock = () => join(folder, 'one.lock');
  const startOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]!;
  const holderAfter = (text: string) => {
    writeFileSync(lock(), text);
    takeLock(lock());
    return Number(readFileSync(lock(), 'utf8').split(' ')[0]);
  };

  it('is refused while the process that holds it is running', () => {
    for (const text of [`${parent.pid} ${startOf(parent.pid!)}`, String(parent.pid)])
      assert.throws(() => holderAfter(text), /the same command is running already \(process \d+\)/);
  });

  it('is taken from a process that was killed, also when its parent has not noticed', () => {
    assert.equal(holderAfter(`${ended} ${startOf(ended)}`), process.pid);
    assert.equal(holderAfter(String(ended)), process.pid);
  });

  it('is not taken from another run that was faster to take it from a process that was killed', (context) => {
    let looks = 0;
    const kill = process.kill.bind(process);
    context.mock.method(process, 'kill', (pid: number, signal: number) => {
      // Between the look at who holds it and the deed.
      if (looks++ === 0) writeFileSync(lock(), `${parent.pid} ${startOf(parent.pid!)}`);
      return kill(pid, signal);
    });
    assert.throws(() => holderAfter(`${ended} ${startOf(ended)}`), /the same command is running already/);
    assert.equal(readFileSync(lock(), 'utf8').split(' ')[0], String(parent.pid));
    assert.deepEqual(readdirSync(folder), ['one.lock']);
  });

  it('is taken when the number of the process belongs to another program by now', () => {
    assert.equal(holderAfter(`${parent.pid} 1`), process.pid);
  });

  it('is taken when the file holds nothing, because the disk was full or the power failed', () => {
    assert.equal(holderAfter(''), process.pid);
    assert.equal(holderAfter('what?'), process.pid);
  });
});

// Part of `npm run test:package`: installs from the sources in a clean root with Node, with the commands of
// docs/operate/install.md.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBlocks } from '#test/operations/pages.ts';
import { repositoryRoot } from './source-files.ts';

export async function testInstall(port: number): Promise<void> {
  const packaging = join(repositoryRoot, 'packaging');
  const given = mkdtempSync(join(tmpdir(), 'waybill-given-'));
  try {
    const blocks = (await readBlocks()).filter(({ page }) => page === 'install.md');
    const commands = blocks.find(({ kind }) => kind === 'sh system')!;
    const settings = blocks.find(({ kind }) => kind === 'ini')!;
    writeFileSync(join(given, 'page.sh'), `${commands.lines.join('\n')}\n`);
    writeFileSync(join(given, 'settings.env'), `${settings.lines.join('\n')}\n`);
    copyFileSync(join(packaging, 'try-install.sh'), join(given, 'try-install.sh'));
    const sources = join(given, 'sources');
    mkdirSync(sources);
    const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: repositoryRoot, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', sources], { input: archive });
    // The clean root has no access to a registry.
    const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
    execFileSync('cp', ['-a', cache, join(given, 'npm')]);
    const cleanRoot = [join(packaging, 'clean-root.sh'), given, '/given/try-install.sh', String(port)];
    const env = { ...process.env, WAYBILL_TEST_KEEPS_NODE: 'yes' };
    execFileSync('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...cleanRoot], { stdio: 'inherit', env });
  } finally {
    rmSync(given, { recursive: true, force: true });
  }
}

// Part of `npm run test:package`: from nothing to the first link with the commands and steps of docs/start/first-link.md, in a
// fresh clone and with the executable file in an empty folder. scripts/test-image.ts does the same with the container image.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import { setupLinkIn, shareFirstFile } from './first-link.ts';
import { repositoryRoot } from './source-files.ts';

/** A fresh clone installs and builds everything. */
const startLimitMs = 900_000;
const page = readFileSync(join(repositoryRoot, 'docs', 'start', 'first-link.md'), 'utf8');
const commands = [...page.matchAll(/```sh system\n([\s\S]*?)```/g)].map(([, lines]) => lines!.trim());

export async function testFirstLink(executable: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'waybill-first-link-'));
  try {
    const [ofSources, ofFile] = commands;
    const clone = join(work, 'clone');
    execFileSync('git', ['clone', '--quiet', '--no-local', repositoryRoot, clone]);
    await follow('a fresh clone', ofSources!, clone);
    const folder = join(work, 'folder');
    mkdirSync(folder);
    copyFileSync(executable, join(folder, basename(executable)));
    await follow('the executable file', ofFile!.replace(/waybill-server-linux-\w+/, basename(executable)), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Another port and little free space are the only settings. */
async function follow(name: string, command: string, cwd: string): Promise<void> {
  const [port, metrics] = await freePorts(2);
  const kept = Object.entries(process.env).filter(([key]) =>
    /^(PATH|HOME|LANG|SSL|NODE_EXTRA|npm_config_(?!prefix))/.test(key),
  );
  const env = {
    ...Object.fromEntries(kept),
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_METRICS_LISTEN: `127.0.0.1:${metrics}`,
    WAYBILL_MIN_FREE_SPACE: '0',
  };
  const outputPath = `${cwd}.log`;
  const child = await startChild({ name, command: 'sh', args: ['-euc', command], cwd, env, outputPath });
  try {
    const isAsking = async () => {
      setupLinkIn(child.output());
    };
    await untilReady([child], isAsking, startLimitMs);
    await shareFirstFile(setupLinkIn(child.output()));
    console.log(`- ${name}: from nothing to the first link`);
  } finally {
    await child.stop();
  }
}

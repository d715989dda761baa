// The blocks of the pages for operators, and a shell to run them in.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { runInside } from '#test/kit/program-inside.ts';
import { serverProgram } from '#test/kit/server-program.ts';

export const operationsFolder = join(repositoryRoot, 'docs/operate');
const guideFolders = [operationsFolder, join(repositoryRoot, 'docs/administer')];

/** The files for operators and administrators, with paths relative to their folder. */
export async function readGuides(): Promise<{ page: string; text: string }[]> {
  const files = await Promise.all(
    guideFolders.map(async (folder) =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .toSorted()
        .map(async (page) => ({ page, text: await readFile(join(folder, page), 'utf8') })),
    ),
  );
  return Promise.all(files.flat());
}

/**
 * A block by its first line: `sh run` runs next to a server, `sh recipe` in its own installation, `ini` are settings.
 * `npm run test:package` runs `sh system`; the systemd one is only parsed.
 */
export interface Block {
  page: string;
  kind: string;
  lines: string[];
}

export async function readBlocks(): Promise<Block[]> {
  const pages = (await readGuides()).filter(({ page }) => page.endsWith('.md'));
  return pages.flatMap(({ page, text }) =>
    // Those inside lists are indented.
    [...text.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(([, indent, kind, body]) => ({
      page,
      kind: kind!,
      lines: body!
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(indent!.length)),
    })),
  );
}

/** With its output; never rejects. */
export function bash(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    // With a socket as input and no parent shell, bash would act as a login shell.
    const child = execFile('/bin/bash', ['--norc', ...args], { cwd: repositoryRoot, env }, (_error, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output: output + errors }),
    );
  });
}

/** Commands that tests in `test/faults/` start as processes, and below those that a line here has started. */
const proven = new Set(['user', 'gc', 'mail', 'verify', 'store', 'evidence']);

/** Runs a line in a shell. Proven commands of the program run in this process instead, because thirty starts are slow. */
export async function runLine(line: string, env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const command = /^waybill-server ([a-z-]+)[^|&;<>`(]*$/.exec(line)?.[1];
  if (command === undefined || !proven.has(command)) {
    if (command !== undefined) proven.add(command);
    return bash(['-euc', line], env);
  }
  const taken = await bash(['-euc', `waybill-server() { printf '%s\\0' "$@"; }; ${line}`], env);
  if (taken.code !== 0) return taken;
  const settings = Object.entries(env).filter(([name]) => name.startsWith('WAYBILL_')) as [string, string][];
  const { code, output, errors } = await runInside(taken.output.split('\0').slice(0, -1), Object.fromEntries(settings));
  return { code, output: output + errors };
}

/** A folder with `waybill-server` for the path; the caller removes it. */
export async function makeTools(): Promise<string> {
  const tools = await mkdtemp(join(tmpdir(), 'waybill-tools-'));
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${join(repositoryRoot, serverProgram())}" "$@"\n`;
  await writeFile(join(tools, 'waybill-server'), shim, { mode: 0o755 });
  return tools;
}

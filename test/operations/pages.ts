// The blocks of the pages for operators, and a shell to run them in.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { runInside } from '#test/kit/program-inside.ts';
import { serverProgram } from '#test/kit/server-program.ts';

export const operationsFolder = join(repositoryRoot, 'docs/operations');

/**
 * What the first line of a block says about it: `sh run` is run line by line beside a running server, `sh recipe` in an installation
 * of its own, `ini` are settings. `sh system` needs root and a machine to change: the first is run by `npm run test:package`, the one
 * for systemd is only parsed.
 */
export interface Block {
  page: string;
  kind: string;
  lines: string[];
}

export async function readBlocks(): Promise<Block[]> {
  const pages = (await readdir(operationsFolder, { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  const blocks = await Promise.all(
    pages.map(async (page) => {
      const text = await readFile(join(operationsFolder, page), 'utf8');
      // Those inside lists are indented.
      return [...text.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(([, indent, kind, body]) => ({
        page,
        kind: kind!,
        lines: body!
          .trimEnd()
          .split('\n')
          .map((line) => line.slice(indent!.length)),
      }));
    }),
  );
  return blocks.flat();
}

/** With what it wrote; never rejects. */
export function bash(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    // Over a socket, as its input is here, and called by no other shell, it would take itself for one of a login.
    const child = execFile('/bin/bash', ['--norc', ...args], { cwd: repositoryRoot, env }, (_error, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output: output + errors }),
    );
  });
}

/** Commands that the tests in `test/faults/` start as processes, and below those that a line here has started. */
const proven = new Set(['user', 'gc', 'mail', 'verify', 'store', 'evidence']);

/**
 * A line as it stands, in a shell. Where it is one call of the program and nothing else, and the command has shown itself as a
 * process, the shell only takes it apart and the program runs here: thirty starts cost more than everything that the lines do.
 */
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

/** A folder with `waybill-server` in it, for the path; remove it afterwards. */
export async function makeTools(): Promise<string> {
  const tools = await mkdtemp(join(tmpdir(), 'waybill-tools-'));
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${join(repositoryRoot, serverProgram())}" "$@"\n`;
  await writeFile(join(tools, 'waybill-server'), shim, { mode: 0o755 });
  return tools;
}

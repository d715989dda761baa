// Starts the load generator as a child process and sends it jobs.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadJob, OnceResult, RawRequest, RepeatResult } from './load.ts';

export interface Load {
  pid: number;
  /** All requests in parallel. Rejects if one of them breaks off or has another status than 2xx. */
  once(port: number, requests: RawRequest[], timeoutMs?: number): Promise<OnceResult>;
  repeat(port: number, request: RawRequest, connections: number, durationMs: number): Promise<RepeatResult>;
  stop(): Promise<void>;
}

const usualTimeoutMs = 120_000;

export function startLoad(): Load {
  const child = fork(fileURLToPath(new URL('./load.ts', import.meta.url)), [], { stdio: 'inherit' });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid!,
    async once(port, requests, timeoutMs = usualTimeoutMs) {
      const result = (await ask(child, { kind: 'once', port, requests, timeoutMs }, timeoutMs)) as OnceResult;
      for (const answer of result.answers) {
        if (answer.status < 200 || answer.status > 299)
          throw new Error(`a server answered ${answer.status}: ${answer.text.slice(0, 400)}`);
      }
      return result;
    },
    async repeat(port, request, connections, durationMs) {
      const job: LoadJob = { kind: 'repeat', port, request, connections, durationMs };
      return (await ask(child, job, durationMs)) as RepeatResult;
    },
    async stop() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function ask(child: ChildProcess, job: LoadJob, usualMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(new Error('the load generator does not respond')), usualMs + 10_000);
    const onExit = () => end(new Error('the load generator has ended'));
    const onMessage = (message: { result?: unknown; error?: string }) =>
      message.error === undefined ? end(null, message.result) : end(new Error(message.error));
    function end(error: Error | null, result?: unknown): void {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      if (error === null) resolve(result);
      else reject(error);
    }
    child.on('message', onMessage).on('exit', onExit);
    if (!child.connected) end(new Error('the load generator has ended'));
    else child.send(job);
  });
}

// Prometheus with a scrape interval of one second, and promtool, which checks rules.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, startChild, untilReady, withOneRetry } from './child.ts';
import type { Requirement } from './packages.ts';

const program = '/usr/bin/prometheus';
const tool = '/usr/bin/promtool';

export const prometheusRequirement: Requirement = {
  name: 'Prometheus',
  debianPackages: ['prometheus'],
  isMet: () => existsSync(program) && existsSync(tool),
};

export interface Prometheus {
  /** The values of an instant query, one for each series; a wrong query rejects with the error of Prometheus. */
  query(expression: string): Promise<number[]>;
  stop(): Promise<void>;
}

/** `target` is `host:port`; `token` is sent with each scrape. */
export function startPrometheus({ target, token, rules }: { target: string; token: string; rules: string }) {
  return withOneRetry(async (): Promise<Prometheus> => {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-prometheus-'));
    const [port] = await freePorts(1);
    await writeFile(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${JSON.stringify(rules)}]
scrape_configs:
  - job_name: waybill
    authorization: { credentials: ${JSON.stringify(token)} }
    static_configs: [{ targets: [${JSON.stringify(target)}] }]
`,
    );
    const url = `http://127.0.0.1:${port}`;
    const child = await startChild({
      name: 'Prometheus',
      command: program,
      args: [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      outputPath: join(folder, 'output.log'),
    });
    const stop = async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    };
    const ready = async () => {
      const reply = await fetch(`${url}/-/ready`);
      if (reply.status !== 200) throw new Error(`status ${reply.status}`);
    };
    await untilReady([child], ready, 120_000).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return {
      async query(expression) {
        const reply = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
        const body = (await reply.json()) as {
          status: string;
          error?: string;
          data?: { result: { value: [number, string] }[] };
        };
        if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
        return body.data!.result.map(({ value }) => Number(value[1]));
      },
      stop,
    };
  });
}

export async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(tool, args);
  return stdout;
}

// Three processes behind nginx instead of the service in the tests' process, so that no state may exist in one process only.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { needsInside, type RunningExecutable } from './executable.ts';
import { type Child, freePorts, startChild, untilReady } from './servers/child.ts';
import { startPlainNginx } from './servers/proxies.ts';

/** Set by `scripts/test-machines.ts`: the number of processes. */
export const machinesVariable = 'WAYBILL_TEST_MACHINES';

/** All of them read the time from `clockFile`. */
export async function startMachines(settings: Record<string, string>, clockFile: string): Promise<RunningExecutable> {
  const { port } = new URL(settings.WAYBILL_BASE_URL!);
  // Tests ask for the listening address, and nginx listens at the public address.
  if (!settings.WAYBILL_LISTEN!.endsWith(`:${port}`)) throw new Error(`${needsInside}: a public address of its own`);
  const ports = await freePorts(Number(process.env[machinesVariable]));
  const start = () => Promise.all(ports.map((port) => startMachine(settings, port, clockFile)));
  let machines = await start();
  const stop = () => Promise.all(machines.map((machine) => machine.stop(10_000)));
  const nginx = await startPlainNginx({ port: Number(port), machines: ports.map((one) => `127.0.0.1:${one}`) }).catch(
    async (error: unknown) => {
      await stop();
      throw error;
    },
  );
  return {
    async restart() {
      await stop();
      machines = await start();
    },
    async close() {
      await nginx.stop();
      await stop();
      rmSync(dirname(clockFile), { recursive: true, force: true });
    },
  };
}

async function startMachine(settings: Record<string, string>, port: number, clockFile: string): Promise<Child> {
  const child = await startChild({
    name: 'one machine',
    command: process.execPath,
    args: [join(import.meta.dirname, 'machine.fixture.ts'), clockFile],
    cwd: repositoryRoot,
    outputPath: `${clockFile}.${port}`,
    env: {
      PATH: process.env.PATH,
      // Loading the service takes half as long the second time.
      NODE_COMPILE_CACHE: join(repositoryRoot, 'node_modules', '.cache', 'compile'),
      WAYBILL_TRUST_PROXY: 'loopback',
      ...settings,
      WAYBILL_LISTEN: `127.0.0.1:${port}`,
    },
  });
  await untilReady([child], async () => void (await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()), 240_000);
  return child;
}

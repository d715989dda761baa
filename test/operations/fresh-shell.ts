// A shell on the machine of a service, with nothing but PATH and HOME: programs find the settings as after an installation.
import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bash, operationsFolder } from './pages.ts';

const isRoot = process.getuid?.() === 0;
const dataFolder = '/var/lib/waybill';

/** /etc has the files of the service above those of this machine, and its data folder is where the pages say. Needs root. */
const enter = `
mount -t overlay overlay -o "lowerdir=$1/etc:/etc" /etc
mount -t overlay overlay -o "lowerdir=$1/lib:/var/lib" /var/lib
mount --bind "$2" ${dataFolder}
shift 2
exec "$@"`;

/**
 * Runs lines of the pages unchanged. Without root there are no such folders: the data folder keeps its place, files have no
 * other owner, and `--env-file` names the settings.
 */
export async function makeFreshShell(tools: string, folder: string) {
  const etc = join(folder, 'etc');
  const settingsPath = join(etc, 'waybill', 'waybill.env');
  for (const path of [join(etc, 'waybill'), join(etc, 'systemd/system'), join(folder, 'lib/waybill')])
    await mkdir(path, { recursive: true });
  // Root changes to the user of the service, who looks up names here.
  for (const path of [folder, etc]) await chmod(path, 0o755);
  await copyFile(join(operationsFolder, 'waybill.service'), join(etc, 'systemd/system/waybill.service'));
  const shim = join(tools, 'waybill-server');
  if (!isRoot) await writeFile(shim, (await readFile(shim, 'utf8')).replace('"$@"', `--env-file ${settingsPath} "$@"`));
  const clean = ['env', '--ignore-environment', `PATH=${tools}:${process.env.PATH}`, `HOME=${process.env.HOME}`];

  return {
    /** In the place of /etc/waybill. */
    settingsFolder: join(etc, 'waybill'),
    async run(line: string, environment: Record<string, string>): Promise<{ code: number; output: string }> {
      const data = environment.WAYBILL_DATA_DIR!;
      const settings = { ...environment, WAYBILL_DATA_DIR: isRoot ? dataFolder : data };
      const text = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
      await writeFile(settingsPath, text.join(''), { mode: 0o640 });
      const elsewhere = line.replaceAll(dataFolder, data).replaceAll('/etc/waybill', join(etc, 'waybill'));
      const command = isRoot ? line : elsewhere.replace(' -o waybill ', ' ');
      const shell = [...clean, '/bin/bash', '--norc', '-euc', command];
      if (!isRoot) return bash(['-c', 'exec "$@"', 'bash', ...shell]);
      const { uid, gid } = await stat(data);
      const service = `waybill:x:${uid}:${gid}::${dataFolder}:/usr/sbin/nologin\n`;
      await writeFile(join(etc, 'passwd'), service + (await readFile('/etc/passwd', 'utf8')), { mode: 0o644 });
      const machine = ['unshare', '--mount', 'sh', '-euc', enter, 'sh', folder, data];
      return bash(['-c', 'exec "$@"', 'bash', ...machine, ...shell]);
    },
    /** What the program says first. */
    settingsLine: `settings: ${isRoot ? '/etc/waybill/waybill.env' : settingsPath}\n`,
  };
}

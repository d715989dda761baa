// `waybill-server restore [--from FOLDER] [--snapshot ID] [--no-files]`: restores a backup into an empty installation.
import { readConfig, takeSecrets } from '../config.ts';
import { restoreBackup } from '../installation/restore.ts';
import { actAsOwnerOf } from '../lib/acting-user.ts';
import { counted } from '../lib/counted.ts';
import { createRandom } from '../lib/ids.ts';
import { readFlags } from './flags.ts';

const usage = 'usage: waybill-server restore [--from FOLDER] [--snapshot ID] [--no-files]\n';

export async function restore(args: string[]): Promise<number> {
  const flags = readFlags(args, { values: ['--from', '--snapshot'], switches: ['--no-files'] });
  const config = flags === null ? null : readConfig();
  const dir = flags?.values.get('--from') ?? config?.backupDir ?? null;
  if (flags === null || config === null || dir === null) {
    process.stderr.write(usage);
    return 2;
  }
  takeSecrets();
  actAsOwnerOf(config.dataDir);
  const { manifest, files, missingFiles, rows, heldMails } = await restoreBackup(config, {
    dir,
    snapshotId: flags.values.get('--snapshot') ?? null,
    hasFiles: !flags.switches.has('--no-files'),
    random: createRandom(),
    now: Date.now(),
  });
  process.stdout.write(
    `✓ Restored as it was at ${new Date(manifest.madeAt).toISOString()}: ${counted(rows, 'row')}, ${counted(files, 'file')}. ` +
      'Everything after that is not in it.\n' +
      '  It waits in quarantine: people can sign in and read, but no mail is sent and nothing is erased. Look through it,\n' +
      '  then run waybill-server quarantine --end. All users have to sign in again.\n',
  );
  if (heldMails > 0)
    process.stdout.write(
      `  ${counted(heldMails, 'waiting mail')} ${heldMails === 1 ? 'is' : 'are'} held, because the original may have sent ` +
        `${heldMails === 1 ? 'it' : 'them'}: Console, E-mail delivery, sends or drops ${heldMails === 1 ? 'it' : 'them'}.\n`,
    );
  if (missingFiles > 0)
    process.stdout.write(
      `✗ ${counted(missingFiles, 'file')} ${missingFiles === 1 ? 'was' : 'were'} missing already when the backup was made.\n`,
    );
  return missingFiles === 0 ? 0 : 1;
}

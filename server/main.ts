#!/usr/bin/env node
// The operator's program: reads the arguments, calls one command, sets the exit code. Loads no other command.
import { ConfigProblems } from './config.ts';
import { sentencesFor } from './domain/operator-sentences.ts';
import { version } from './lib/version.ts';

const usage = `waybill-server ${version}

  waybill-server start              serve (settings come from the environment, see docs/configuration.md)
  waybill-server health             whether the server of this machine is ready; for container checks
  waybill-server setup-token        print the token that opens the setup page, while nobody has set it up
  waybill-server doctor [--json]    look at everything it depends on, and name what is wrong with its cure
  waybill-server migrate [--check]  bring the tables up to date without serving; --check tells what would run
  waybill-server gc [--dry-run]     remove what is due now, also what the brake held back
  waybill-server evidence verify    check the whole log of what happened, and name the first fault
  waybill-server evidence receipt ID
                                    the receipt of a message, link or File Request, as auditors get it
  waybill-server evidence rotate-key
                                    sign checkpoints with a new key from now on
  waybill-server evidence witness URL [--folder FOLDER]
                                    on another machine: check that the log there only grows, and sign it
  waybill-server evidence witnesses
                                    list the keys of admitted witnesses, and what each has signed
  waybill-server evidence admit-witness|remove-witness KEY
                                    admit the key of a witness, or remove it with its signatures
  waybill-server evidence accept-loss REASON
                                    after an older database was restored: go on with the log from there
  waybill-server clock [--mend]     show whether the clocks agree; --mend takes back a time that was wrong
  waybill-server store [--adopt]    check that the store belongs to this installation; --adopt makes it so
  waybill-server verify [--after ID]
                                    read every stored file back; marks damage, takes wrong marks back
  waybill-server quarantine [--end]
                                    show whether this is a copy that waits; --end lets it send and erase
  waybill-server backup [--to FOLDER] [--no-files]
                                    make a backup now, also while servers run
  waybill-server restore [--from FOLDER] [--snapshot ID] [--no-files]
                                    put a backup into an empty place
  waybill-server verify --backup FOLDER [--snapshot ID] [--sample PERCENT]
                                    restore a backup into a scratch place and read every file
  waybill-server move-blobs --to s3|disk [--rate 20MiB]
                                    move files to the other store while servers run over both
  waybill-server move-database --to URL
                                    copy everything into an empty database; servers must be stopped
  waybill-server key rotate [--prepare]
                                    change the master key, also while servers run
  waybill-server config [print] [--json]
                                    every setting with its value and where it comes from; secrets are not shown
  waybill-server config check       say what is wrong with the settings, all at once
  waybill-server maintenance on [--message TEXT] [--for 2h]
                                    keep everybody but administrators out; running transfers finish
  waybill-server maintenance off|status
                                    let everybody in again; show whether it is on
  waybill-server maintenance rewrite
                                    write an SQLite file anew, without traces of erased people; writing waits
  waybill-server user list [--json] everybody with role, group and state
  waybill-server user create ADDRESS [--name NAME] [--group GROUP] [--invite]
                                    add somebody; prints a link to choose a password, or mails an invitation
  waybill-server user reset-password ADDRESS [--without-second-step | --password-stdin]
                                    a link to choose a new password; or set the one that is piped in
  waybill-server user unlock|suspend|resume ADDRESS
                                    lift locks of sign-in; switch an account off or on
  waybill-server user role ADDRESS ROLE
                                    user, auditor, administrator, system_administrator, or the id of a group
  waybill-server mail test ADDRESS  send a mail now and say what became of it
  waybill-server mail queue [--json]
                                    mails that wait, and those that were refused in the last day
  waybill-server version            print the version
`;

const commands: Record<string, (args: string[]) => Promise<number>> = {
  start: async () => (await import('./commands/start.ts')).start(),
  health: async (args) => (await import('./commands/health.ts')).health(args),
  'setup-token': async (args) => (await import('./commands/setup-token.ts')).setupToken(args),
  doctor: async (args) => (await import('./commands/doctor.ts')).doctor(args),
  migrate: async (args) => (await import('./commands/migrate.ts')).migrate(args),
  gc: async (args) => (await import('./commands/gc.ts')).gc(args),
  evidence: async (args) => (await import('./commands/evidence.ts')).evidence(args),
  clock: async (args) => (await import('./commands/clock.ts')).clock(args),
  store: async (args) => (await import('./commands/store.ts')).store(args),
  verify: async (args) => (await import('./commands/verify.ts')).verify(args),
  quarantine: async (args) => (await import('./commands/quarantine.ts')).quarantine(args),
  backup: async (args) => (await import('./commands/backup.ts')).backup(args),
  restore: async (args) => (await import('./commands/restore.ts')).restore(args),
  'move-blobs': async (args) => (await import('./commands/move-blobs.ts')).moveBlobsCommand(args),
  'move-database': async (args) => (await import('./commands/move-database.ts')).moveDatabaseCommand(args),
  key: async (args) => (await import('./commands/key.ts')).key(args),
  config: async (args) => (await import('./commands/config.ts')).config(args),
  maintenance: async (args) => (await import('./commands/maintenance.ts')).maintenance(args),
  user: async (args) => (await import('./commands/user.ts')).user(args),
  mail: async (args) => (await import('./commands/mail.ts')).mail(args),
  version: async () => {
    process.stdout.write(`${version}\n`);
    return 0;
  },
  help: async () => {
    process.stdout.write(usage);
    return 0;
  },
};

// In the one executable file this is no module, so nothing here may wait at the top level.
void main(process.argv[2] ?? 'help', process.argv.slice(3));

async function main(name: string, args: string[]): Promise<void> {
  // Whoever read along has left (`| head`, a `tee` that ended). What was begun is ended all the same, and a service serves on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreNobody);
  const word = name.replace(/^--/, '');
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command === undefined) {
    process.stderr.write(`waybill-server: there is no command "${name}"\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  try {
    process.exit(await command(args));
  } catch (error) {
    process.stderr.write(
      `${sentences(error)
        .map((sentence) => `waybill-server: ${sentence}`)
        .join('\n')}\n`,
    );
    process.exit(1);
  }
}

function ignoreNobody(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function sentences(error: unknown): string[] {
  if (error instanceof ConfigProblems) return error.sentences;
  const known = sentencesFor(error);
  if (known !== null) return known;
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

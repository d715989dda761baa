#!/usr/bin/env node
// The operator's program: parses the arguments, loads and runs one command, and sets the exit code.
import { ConfigProblems, completeEnvironment, trustConfiguredAuthorities } from './config.ts';
import { sentencesFor } from './domain/operator-sentences.ts';
import { version } from './lib/version.ts';

const usage = `waybill-server ${version}

  waybill-server [--env-file FILE] COMMAND …

Without WAYBILL_… variables, commands use the settings of the installed service.

  waybill-server start              start the server (settings: docs/operate/configuration.md)
  waybill-server health             exit with 0 if the local server is ready; for containers
  waybill-server setup-token        print the token of the setup page, until the set-up is done
  waybill-server doctor [--json]    check all dependencies; print each fault with its remedy
  waybill-server migrate [--check]  run missing migrations without serving; --check lists them
  waybill-server gc [--dry-run]     delete expired files now, also of paused jobs
  waybill-server evidence verify    check the complete event log; print the first fault
  waybill-server evidence receipt ID
                                    print the receipt of a message, link or file request for auditors
  waybill-server evidence rotate-key
                                    sign checkpoints with a new key from now on
  waybill-server evidence witness URL [--folder FOLDER]
                                    on another machine: check that the log only grows, and cosign it
  waybill-server evidence witnesses
                                    list the keys of admitted witnesses and what each has signed
  waybill-server evidence admit-witness|remove-witness KEY
                                    admit the key of a witness; remove it with its signatures
  waybill-server evidence accept-loss REASON
                                    after an older database was restored: continue the log from there
  waybill-server clock [--mend]     compare the clocks; --mend accepts the current time after a wrong one
  waybill-server store [--adopt]    check that the store belongs to this installation; --adopt assigns it
  waybill-server verify [--after ID]
                                    read every stored file; mark damaged ones, remove wrong marks
  waybill-server quarantine [--end]
                                    show whether this database is a copy; --end lets it send and erase
  waybill-server backup [--to FOLDER] [--no-files] [--keep]
                                    make a backup now; servers can run; --keep: until it is removed by hand
  waybill-server restore [--from FOLDER] [--snapshot ID] [--no-files]
                                    restore a backup into an empty place
  waybill-server verify --backup FOLDER [--snapshot ID] [--sample PERCENT]
                                    restore a backup to a temporary place and read every file
  waybill-server move-blobs --to s3|disk [--rate 20MiB]
                                    move files to the other store; servers can run
  waybill-server move-database --to URL | --to-file FILE
                                    copy the database to an empty one; servers must be stopped
  waybill-server key rotate [--prepare]
                                    change the master key; servers can run
  waybill-server config [print] [--json]
                                    print all settings with value and source, without secrets
  waybill-server config check       print all faults of the settings
  waybill-server maintenance on [--message TEXT] [--for 2h]
                                    let only administrators sign in; running transfers finish
  waybill-server maintenance off|status
                                    end maintenance; show whether it is on
  waybill-server maintenance rewrite
                                    rewrite the SQLite file without traces of erased people; writers wait
  waybill-server user list [--json]
                                    list people with role, group and state
  waybill-server user create ADDRESS [--name NAME] [--group GROUP] [--invite]
                                    add a person; print a link to choose a password, or mail it
  waybill-server user reset-password ADDRESS [--without-second-step | --password-stdin]
                                    print a link to choose a new password, or set the one from stdin
  waybill-server user rescue ADDRESS [--without-second-step]
                                    print a link for a password that works for a day, even if passwords are off
  waybill-server user unlock|suspend|resume ADDRESS
                                    unlock sign-in; switch an account off or on
  waybill-server user role ADDRESS ROLE
                                    set the role (user, auditor, administrator, system_administrator)
  waybill-server mail test ADDRESS  send a test mail and print the result
  waybill-server mail queue [--json]
                                    list queued mails and those refused in the last day
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

// The single executable is not a module, so it has no top-level await.
void main(process.argv.slice(2));

async function main(given: string[]): Promise<void> {
  // The reader of the output has left (`| head`): finish the work, and let a service continue.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  try {
    const { args, file } = completeEnvironment(given);
    if (file !== null) process.stderr.write(`settings: ${file}\n`);
    await run(args[0] ?? 'help', args.slice(1));
  } catch (error) {
    process.stderr.write(
      `${sentences(error)
        .map((sentence) => `waybill-server: ${sentence}`)
        .join('\n')}\n`,
    );
    process.exit(1);
  }
}

async function run(name: string, args: string[]): Promise<void> {
  const word = name.replace(/^--/, '');
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command === undefined) {
    process.stderr.write(`waybill-server: there is no command "${name}"\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  trustConfiguredAuthorities();
  process.exit(await command(args));
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function sentences(error: unknown): string[] {
  if (error instanceof ConfigProblems) return error.sentences;
  const known = sentencesFor(error);
  if (known !== null) return known;
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

// Commands and flags; `commands/` implements them.
import { Command, CommanderError, Option } from 'commander';
import { candidates } from './candidates.ts';
import { login, logout, whoami } from './commands/account.ts';
import { apiKey } from './commands/admin.ts';
import { upload } from './commands/attachments.ts';
import { configGet, configList, configPath, configSet } from './commands/config.ts';
import { doctor } from './commands/doctor.ts';
import { get, log } from './commands/downloads.ts';
import { link } from './commands/file-links.ts';
import { request } from './commands/file-requests.ts';
import { drop } from './commands/filedrops.ts';
import { listLinks, removeLinks, setLink, showLink } from './commands/link-lists.ts';
import { send } from './commands/messages.ts';
import { list, revoke, show } from './commands/sent-messages.ts';
import { verify } from './commands/verify.ts';
import { completionScript } from './completion.ts';
import { exitCodes, Failure, usageFailure } from './failures.ts';
import { examplesFor } from './help-examples.ts';
import { addFlagsTopic, flagNames, helpLayout } from './help-pages.ts';
import { scriptFormat, writeLines } from './output.ts';
import { plainText } from './plain-text.ts';
import { openSession, type Session } from './session.ts';
import type { GlobalFlags, Needs } from './settings.ts';
import { version } from './version.ts';
import type { World } from './world.ts';

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

/** Runs one command; throws what it ended with. */
export async function runCommand(world: World): Promise<void> {
  const program = createProgram(world);
  try {
    await program.parseAsync([...world.args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are not failures.
    if (error.exitCode === 0) return;
    const sentence = error.message.replace(/^error: /, '').split('\n')[0]!;
    throw new Failure(exitCodes.wrongUsage, sentence, { code: isScript(world) ? 'usage' : 'arguments' });
  }
}

function isScript({ args }: World): boolean {
  return scriptFormat(args) !== null;
}

type Run = (session: Session, args: string[], flags: never) => Promise<void> | void;

export function createProgram(world: World): Command {
  const program = new Command('waybill')
    .description('Send files that are too big or too sensitive for e-mail.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showSuggestionAfterError(true)
    .showHelpAfterError('(add --help for how it is used)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => isScript(world) || writeLines(world.stderr, text.replace(/^error: /, 'waybill: ')),
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
    })
    .configureHelp(helpLayout);
  addGlobalFlags(program);
  program.addHelpText('beforeAll', ({ command }) => examplesFor(command));
  program.usage('<command> [flags]').addHelpText('after', () => flagNames(program));
  addFlagsTopic(program);
  const doing: Doing =
    (run, needs = {}) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const session = openSession(world, command.optsWithGlobals() as GlobalFlags, needs);
      try {
        if (needs.hasNoDryRun === true && session.settings.isDryRun) throw noDryRun(command);
        await run(session, command.args, command.opts() as never);
      } finally {
        session.close();
      }
    };
  addAccount(program, doing);
  addSending(program, doing);
  addLinks(program, doing);
  addReceiving(program, doing);
  addRest(program, doing, world);
  return program;
}

function addGlobalFlags(program: Command): void {
  program
    .option('-p, --profile <name>', 'which profile of the settings to use')
    .option('--server <url>', 'the server to talk to')
    .option('--json', 'print one JSON document')
    .addOption(new Option('--events <format>', 'print one JSON line for each thing that happens').choices(['json']))
    .addOption(new Option('--progress <format>', 'with --json: progress on stderr, as JSON lines').choices(['json']))
    .option('-q, --quiet', 'print only the address or id')
    .option('-v, --verbose', 'print each request, without secrets')
    .option('--no-input', 'never ask')
    .option('-y, --yes', 'answer yes to questions')
    .option('--timeout <time>', 'silence that ends a request (60s)')
    .option('--parallel <n>', 'parallel chunks: auto or 1 to 8')
    .option('--chunk-size <size>', 'size of chunks, such as 8MiB')
    .option('--limit-rate <rate>', 'at most this fast, such as 5MB/s')
    .option('--dry-run', 'say what would happen; send nothing')
    .option('--no-color', 'no colours')
    .option('--cacert <file>', 'trust the certificates in this file, too')
    .option('--insecure', 'do not check certificates (warns each time)');
}

interface CommandNeeds extends Needs {
  /** It changes something and cannot say beforehand what. */
  hasNoDryRun?: boolean;
}

type Doing = (run: Run, needs?: CommandNeeds) => (...given: unknown[]) => Promise<void>;

function noDryRun(command: Command): Failure {
  const name = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  return usageFailure(`\`${name}\` has no dry run; nothing was done`, 'Run it without --dry-run.');
}

function addAccount(program: Command, doing: Doing): void {
  program
    .command('login [url]')
    .description('sign in to a server, through a browser or with an API key')
    .option('--api-key-stdin', 'read an API key from stdin')
    .option('--api-key-prompt', 'ask for an API key instead of using a browser')
    .action(
      doing((session, [url], flags) => login(session, url, flags), {
        isNewProfile: true,
        toleratesFaults: true,
        hasNoDryRun: true,
      }),
    );
  program
    .command('logout')
    .description('forget the key')
    .action(doing((session) => logout(session), { toleratesFaults: true, hasNoDryRun: true }));
  program
    .command('whoami')
    .description('show account, group and limits')
    .action(doing((session) => whoami(session)));
}

function addSending(program: Command, doing: Doing): void {
  program
    .command('send [files...]')
    .description('send files as a secure message')
    .option('--to <addresses>', 'recipients, several with commas', collect)
    .option('--cc <addresses>', 'copies', collect)
    .option('--bcc <addresses>', 'hidden copies', collect)
    .option('--from <address>', 'send as one of your aliases')
    .option('-s, --subject <text>', 'subject')
    .option('-m, --message <text>', 'text, @FILE, or - for stdin')
    .option('--expires <when>', 'date, or 14d, 2w')
    .option('--downloads <n>', 'permitted downloads of each file')
    .option('--who <audience>', 'recipients, domains, colleagues, confirmed or anyone')
    .option('--private', 'the text is read on the page only')
    .option('--no-copy', 'no copy to yourself')
    .option('--no-email', 'no e-mail; you pass the link on')
    .option('--dir', 'keep folder names')
    .option('--zip', 'send everything as one archive')
    .option('--wait', 'wait until the server has checked the files')
    .option('--name <name>', 'what stdin is called')
    .option('--again', 'send although it may have been sent before')
    .action(doing((session, args, flags) => send(session, args, flags)));
  program
    .command('request')
    .description('request files from a person')
    .requiredOption('--from <address>', 'person to request files from')
    .option('-s, --subject <text>', 'subject')
    .option('-m, --message <text>', 'text')
    .option('--expires <when>', 'date, or 14d, 2w')
    .option('--multi', 'may be used several times')
    .option('--no-email', 'no e-mail; you pass the link on')
    .option('--copy-me', 'a copy to yourself')
    .option('--again', 'ask although it may have been asked before')
    .action(doing((session, _, flags) => request(session, flags)));
  program
    .command('drop <url> <files...>')
    .description('deliver files to a drop page or a file request; no account needed')
    .option('--from <address>', 'your address, for a drop page')
    .option('--sender-name <name>', 'your name')
    .option('-s, --subject <text>', 'subject')
    .option('-m, --message <text>', 'text')
    .option('--dir', 'keep folder names')
    .option('--name <name>', 'what stdin is called')
    .action(doing((session, [url, ...files], flags) => drop(session, url!, files, flags), { hasNoDryRun: true }));
  program
    .command('upload <files...>')
    .description('upload only; prints attachment ids')
    .option('--dir', 'keep folder names')
    .option('--name <name>', 'what stdin is called')
    .action(doing((session, args, flags) => upload(session, args, flags), { hasNoDryRun: true }));
}

function addLinks(program: Command, doing: Doing): void {
  program
    .command('link <files...>')
    .description('upload files and make a link for each')
    .option('--expires <when>', 'date, or 14d, 2w')
    .option('--password-stdin', 'read a password from stdin')
    .option('--password-prompt', 'ask for a password')
    .option('--generate-password', 'make a password and print it')
    .option('--require-auth', 'downloaders confirm an e-mail address')
    .option('--no-require-auth', 'anyone with the link can download')
    .option('--receipt', 'tell me about downloads')
    .option('--no-receipt', 'do not tell me')
    .option('--copy', 'copy the link')
    .option('--qr', 'show the link as a QR code')
    .option('--open', 'open the link in a browser')
    .option('--dir', 'keep folder names')
    .option('--zip', 'one archive, one link')
    .option('--name <name>', 'what stdin is called')
    .option('--again', 'make it although it may have been made before')
    .action(doing((session, args, flags) => link(session, args, flags)));
  const links = program.command('links').description('list, show, change and remove links');
  links
    .command('ls', { isDefault: true })
    .description('list links')
    .option('--limit <n>', 'maximum number of entries')
    .action(doing((session, _, flags) => listLinks(session, flags)));
  links
    .command('show <id>')
    .description('show one')
    .action(doing((session, [id]) => showLink(session, id!)));
  links
    .command('set <id>')
    .description('change one')
    .option('--expires <when>', 'date, or 14d, 2w')
    .option('--require-auth', 'downloaders confirm an e-mail address')
    .option('--no-require-auth', 'anyone with the link can download')
    .option('--receipt', 'tell me about downloads')
    .option('--no-receipt', 'do not tell me')
    .action(doing((session, [id], flags) => setLink(session, id!, flags), { hasNoDryRun: true }));
  links
    .command('rm <ids...>')
    .description('remove links')
    .action(doing((session, ids) => removeLinks(session, ids)));
}

function addReceiving(program: Command, doing: Doing): void {
  program
    .command('get <urls...>')
    .description('download a message, a link or a ticket; asks for password or code')
    .option('-o, --output <folder>', 'where to; - for stdout')
    .option('--force', 'write over files that are there')
    .option('--password-stdin', 'read the password of the link from stdin')
    .action(doing((session, urls, flags) => get(session, urls, flags)));
  program
    .command('verify <file>')
    .description('check a receipt, or a file against what was sent')
    .option('--against <what>', 'a message, a link or a SHA-256')
    .option('--key <key>', 'key of the log that must have signed the receipt', collect)
    .option('--witness <key>', 'key of a witness that must have seen it', collect)
    .option('--policy <file>', 'policy file: witnesses, and how many of them must have signed')
    .action(doing((session, [file], flags) => verify(session, file!, flags)));
  program
    .command('list')
    .description('list messages you sent')
    .option('--received', 'those you received')
    .option('--limit <n>', 'maximum number of entries')
    .action(doing((session, _, flags) => list(session, flags)));
  program
    .command('show <id>')
    .description('show a message')
    .action(doing((session, [id]) => show(session, id!)));
  program
    .command('revoke <ids...>')
    .description('stop sharing messages')
    .action(doing((session, ids) => revoke(session, ids)));
  program
    .command('log')
    .description('who downloaded what')
    .option('--message <id>', 'of one message')
    .option('--link <id>', 'of one link')
    .option('--after <date>', 'since a date')
    .action(doing((session, _, flags) => log(session, flags)));
}

function addRest(program: Command, doing: Doing, world: World): void {
  const admin = program.command('admin').description('for administrators');
  admin
    .command('api-key <email>')
    .description("look up a person's API key; the person is notified")
    .option('--reason <text>', 'why')
    .action(doing((session, [email], flags) => apiKey(session, email!, flags), { hasNoDryRun: true }));
  const config = program.command('config').description('settings');
  config
    .command('list', { isDefault: true })
    .description('show them')
    .action(doing((session) => configList(session), { toleratesFaults: true }));
  config
    .command('get <name>')
    .description('show one')
    .action(doing((session, [name]) => configGet(session, name!), { toleratesFaults: true }));
  config
    .command('set <name> <value>')
    .description('change one')
    .action(
      doing((session, [name, value]) => configSet(session, name!, value!), {
        isNewProfile: true,
        toleratesFaults: true,
      }),
    );
  config
    .command('path')
    .description('where the file is')
    .action(doing((session) => configPath(session), { toleratesFaults: true }));
  program
    .command('completion <shell>')
    .description('completion script for bash, zsh, fish or powershell')
    .action((shell: string) => void world.stdout.write(completionScript(shell)));
  program
    .command('__complete [words...]', { hidden: true })
    .description('list completions for the word at the cursor')
    .action(async (words: string[]) => {
      for (const { value, about } of await candidates(program, world, words))
        world.stdout.write(`${plainText(value)}\t${plainText(about)}\n`);
    });
  program
    .command('doctor')
    .description('check server, key, clock, proxy and chunk size')
    .action(doing((session) => doctor(session), { toleratesFaults: true, reportsFaults: true }));
}

// Commands people paste into a shell to compare a file with its checksum. A file name is hostile input here as well:
// only names that mean nothing to any of the shells are written into a command, others become FILE.
import { rightToLeft } from './visible.ts';

export interface CheckCommand {
  system: 'linux' | 'macos' | 'windows';
  command: string;
}

/** Quotes (PowerShell takes the curly ones too), backslashes, `$`, backticks and control characters are not in it. */
const harmlessName = /^[\p{L}\p{M}\p{N} ._()+,@=~-]+$/u;

/** False when the commands say FILE instead: also for names that would make a command read in another order. */
export function nameFitsCommand(fileName: string): boolean {
  return harmlessName.test(fileName) && !rightToLeft.test(fileName);
}

/** Each command does the comparison and prints OK or True for each file, so that nobody has to read 64 digits. */
export function checkCommands(files: { name: string; sha256: string }[]): CheckCommand[] {
  const lines = files.map(({ name, sha256 }) => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError('a SHA-256 is 64 lower-case hex digits');
    return { name: nameFitsCommand(name) ? name : 'FILE', sha256 };
  });
  // './' keeps a name that begins with a dash from being read as an option.
  const list = lines.map(({ name, sha256 }) => `${sha256}  ./${name}`).join('\n');
  const compare = lines.map(({ name, sha256 }) => `(Get-FileHash -LiteralPath '.\\${name}').Hash -eq '${sha256}'`);
  return [
    { system: 'linux', command: `echo '${list}' | sha256sum -c` },
    { system: 'macos', command: `echo '${list}' | shasum -a 256 -c` },
    { system: 'windows', command: compare.join('\n') },
  ];
}

/** A value inside single quotes for a POSIX shell. */
export function posixQuote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

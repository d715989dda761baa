// File names are untrusted: those with characters that any shell interprets are written as FILE.
import { rightToLeft } from './visible.ts';

export interface CheckCommand {
  system: 'linux' | 'macos' | 'windows';
  command: string;
}

/** Excludes quotes (also the curly ones of PowerShell), backslashes, `$`, backticks and control characters. */
const harmlessName = /^[\p{L}\p{M}\p{N} ._()+,@=~-]+$/u;

/** Right-to-left text would reorder the command. */
export function nameFitsCommand(fileName: string): boolean {
  return harmlessName.test(fileName) && !rightToLeft.test(fileName);
}

/** Prints OK or True per file. */
export function checkCommands(files: { name: string; sha256: string }[]): CheckCommand[] {
  const lines = files.map(({ name, sha256 }) => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError('a SHA-256 is 64 lower-case hex digits');
    return { name: nameFitsCommand(name) ? name : 'FILE', sha256 };
  });
  // './' prevents a name with a leading dash from being read as an option.
  const list = lines.map(({ name, sha256 }) => `${sha256}  ./${name}`).join('\n');
  const compare = lines.map(({ name, sha256 }) => `(Get-FileHash -LiteralPath '.\\${name}').Hash -eq '${sha256}'`);
  return [
    { system: 'linux', command: `echo '${list}' | sha256sum -c` },
    { system: 'macos', command: `echo '${list}' | shasum -a 256 -c` },
    { system: 'windows', command: compare.join('\n') },
  ];
}

/** Quotes for a POSIX shell. */
export function posixQuote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

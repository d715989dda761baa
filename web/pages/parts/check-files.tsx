// Checksums, and commands that verify downloaded files.
import type { ReactNode } from 'react';
import { checkCommands, nameFitsCommand } from '../../checksum.ts';
import { CopyableCode } from './copyable-code.tsx';
import { Disclosure } from './disclosure.tsx';
import { useText } from './frame.tsx';
import { FileName } from './user-text.tsx';

interface CheckedFile {
  name: string;
  sha256: string | null;
}

export function CheckFiles({ files }: { files: CheckedFile[] }): ReactNode {
  const say = useText();
  const known = files.flatMap(({ name, sha256 }) => (sha256 === null ? [] : [{ name, sha256 }]));
  if (known.length === 0) return null;
  const systems = { linux: say('check.linux'), macos: say('check.macos'), windows: say('check.windows') };
  const fitting = known.filter(({ name }) => nameFitsCommand(name));
  const isSingle = known.length === 1;
  const intro = introOf(known.length, fitting.length);
  return (
    <Disclosure title={say('check.title', { files: files.length })}>
      {known.map(({ name, sha256 }) => (
        <CopyableCode
          label={files.length === 1 ? say('check.checksum') : <FileName>{name}</FileName>}
          value={sha256}
          key={`${name} ${sha256}`}
        />
      ))}
      <p>{say(intro, { files: known.length })}</p>
      {(isSingle || fitting.length > 0) &&
        checkCommands(isSingle ? known : fitting).map(({ system, command }) => (
          <CopyableCode label={systems[system]} value={command} key={system} />
        ))}
      <p className="help">{say('part.clickSelects')}</p>
    </Disclosure>
  );
}

/** Commands leave out names that a shell could misread. */
function introOf(
  known: number,
  fitting: number,
): 'check.intro' | 'check.introPlaceholder' | 'check.introSome' | 'check.introNone' {
  if (known === fitting) return 'check.intro';
  if (known === 1) return 'check.introPlaceholder';
  return fitting > 0 ? 'check.introSome' : 'check.introNone';
}

// Checksums, and commands that verify downloaded files.
import { checkCommands, nameFitsCommand } from '../../../checksum.ts';
import { visibleText } from '../../../visible.ts';
import { useText } from '../../texts.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import classes from './received.module.css';

interface CheckedFile {
  id: string;
  filename: string;
  checksum: string;
}

export function CheckFiles({ files }: { files: readonly CheckedFile[] }) {
  const text = useText('received');
  const known = files.filter(({ checksum }) => checksum !== '').map((file) => ({ ...file, ...named(file) }));
  if (known.length === 0) return null;
  const systems = { linux: text('checkLinux'), macos: text('checkMacos'), windows: text('checkWindows') };
  const fitting = known.filter(({ name }) => nameFitsCommand(name));
  const inCommands = known.length === 1 ? known : fitting;
  return (
    <details className={classes.check}>
      <summary>{text('check', { files: known.length })}</summary>
      <div className={classes.checked}>
        {known.map(({ id, name, sha256 }) => (
          <CopyField key={id} label={text('checksumOf', { name: visibleText(name) })} value={sha256} />
        ))}
        <p>{text(introOf(known.length, fitting.length), { files: known.length })}</p>
        {inCommands.length === 0
          ? null
          : checkCommands(inCommands).map(({ system, command }) => (
              <CopyField key={system} label={systems[system]} value={command} isLong={inCommands.length > 1} />
            ))}
      </div>
    </details>
  );
}

function named({ filename, checksum }: CheckedFile): { name: string; sha256: string } {
  return { name: filename, sha256: checksum };
}

/** Commands leave out names that a shell could misread. */
function introOf(known: number, fitting: number) {
  if (known === fitting) return 'checkIntro';
  if (known === 1) return 'checkIntroPlaceholder';
  return fitting > 0 ? 'checkIntroSome' : 'checkIntroNone';
}

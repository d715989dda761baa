// A file with its type tile, whole name, size and what can be done with it. The name wraps anywhere, is never cut.
import type { ReactNode } from 'react';
import { extensionLabel } from '../../visible.ts';
import { useSize } from './frame.tsx';
import { Icon } from './icon.tsx';
import { FileName } from './user-text.tsx';

interface FileRowProps {
  file: { name: string; sizeText: string };
  /** The element around the name: the page's heading where the file is the page. */
  nameAs?: 'h1' | 'p';
  /** Nobody can get it any more. */
  isStruck?: boolean;
  /** Beside the size, such as the state of a check. */
  state?: ReactNode;
  /** The name under which the script brings the state up to date. */
  freshAs?: string;
  children?: ReactNode;
}

/** Names longer than this many characters are set smaller, so that the action stays in sight. */
const longName = 80;

export function FileRow(props: FileRowProps): ReactNode {
  const { file, nameAs: Name = 'p', isStruck = false, state, freshAs, children } = props;
  const sizeOf = useSize();
  return (
    <div className="file">
      <span className="tile" aria-hidden="true">
        {extensionLabel(file.name) ?? <Icon name="file" />}
      </span>
      <div className="file-text">
        <Name className={file.name.length > longName ? 'file-name file-name-long' : 'file-name'}>
          {isStruck ? (
            <s>
              <FileName>{file.name}</FileName>
            </s>
          ) : (
            <FileName>{file.name}</FileName>
          )}
        </Name>
        <p className="file-size" data-marks="" data-fresh={freshAs}>
          <bdi>{sizeOf(file.sizeText)}</bdi>
          {state}
        </p>
      </div>
      {children}
    </div>
  );
}

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
  children?: ReactNode;
}

/** Names longer than so many characters are set smaller, so that the action stays in sight. */
const longName = 80;

export function FileRow({ file, nameAs: Name = 'p', isStruck = false, state, children }: FileRowProps): ReactNode {
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
        <p className="file-size">
          <bdi>{sizeOf(file.sizeText)}</bdi>
          {state}
        </p>
      </div>
      {children}
    </div>
  );
}

// A file with its type tile, whole name, size and what can be done with it. The name wraps anywhere, is never cut.
import type { ReactNode } from 'react';
import { extensionLabel } from '../visible.ts';
import { Icon } from './icon.tsx';
import { UserText } from './user-text.tsx';

interface FileRowProps {
  file: { name: string; sizeText: string };
  /** The element around the name: the page's heading where the file is the page. */
  nameAs?: 'h1' | 'p';
  /** Beside the size, such as the state of a check. */
  state?: ReactNode;
  children?: ReactNode;
}

export function FileRow({ file, nameAs: Name = 'p', state, children }: FileRowProps): ReactNode {
  return (
    <div className="file">
      <span className="tile" aria-hidden="true">
        {extensionLabel(file.name) ?? <Icon name="file" />}
      </span>
      <div className="file-text">
        <Name className="file-name">
          <UserText>{file.name}</UserText>
        </Name>
        <p className="file-size">
          {file.sizeText}
          {state}
        </p>
      </div>
      {children}
    </div>
  );
}

// The name wraps and is never truncated.
import type { ReactNode } from 'react';
import { extensionLabel } from '../../visible.ts';
import { useSize } from './frame.tsx';
import { Icon } from './icon.tsx';
import { FileName } from './user-text.tsx';

interface FileRowProps {
  file: { name: string; sizeText: string };
  /** The heading where the file is the page. */
  nameAs?: 'h1' | 'p';
  /** No longer available. */
  isStruck?: boolean;
  /** After the size. */
  state?: ReactNode;
  /** The name under which the script updates the state. */
  freshAs?: string;
  children?: ReactNode;
}

/** Longer names use a smaller font, so that the action stays visible. */
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

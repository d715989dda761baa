// Bidi-isolated, with hidden characters shown as marks.
import { Fragment, type ReactNode } from 'react';
import { splitFileName, visibleParts } from '../../visible.ts';
import type { Person } from '../props.ts';
import { Say } from './frame.tsx';

export function UserText({ children }: { children: string }): ReactNode {
  return (
    <bdi className="user-text">
      {visibleParts(children).map((part, index) =>
        part.isMark ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never change places.
          <span className="mark" key={index}>
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </bdi>
  );
}

export function Paragraphs({ children }: { children: string }): ReactNode {
  const paragraphs = children
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '    ')
    .trim()
    .split(/\n{2,}/);
  return (
    <div className="paragraphs">
      {paragraphs.map((paragraph, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs never change places.
        <p key={index} dir="auto">
          {paragraph.split('\n').map((line, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places.
            <Fragment key={number}>
              {number > 0 && <br />}
              <UserText>{line}</UserText>
            </Fragment>
          ))}
        </p>
      ))}
    </div>
  );
}

/** The extension stays visible at the end in any script. */
export function FileName({ children }: { children: string }): ReactNode {
  const { stem, extension } = splitFileName(children);
  if (extension === '') return <UserText>{children}</UserText>;
  return (
    <bdi dir="ltr">
      <UserText>{stem}</UserText>
      {extension}
    </bdi>
  );
}

/** A display name alone proves nothing. */
export function PersonText({ person }: { person: Person }): ReactNode {
  const name = (
    <strong>
      <UserText>{person.name}</UserText>
    </strong>
  );
  if (person.address === null || person.address === person.name) return name;
  return <Say k="part.person" with={{ name, address: <UserText>{person.address}</UserText> }} />;
}

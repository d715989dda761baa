import type { ReactNode } from 'react';
import { CardBody } from './card.tsx';
import { useText } from './frame.tsx';

export function Step({ number, title, children }: { number: number; title: string; children: ReactNode }): ReactNode {
  const say = useText();
  return (
    <CardBody>
      <fieldset>
        <legend>
          <h2>
            <span className="step" aria-hidden="true">
              {number}
            </span>
            <span className="visually-hidden">{say('part.step', { n: number })}: </span>
            {title}
          </h2>
        </legend>
        <div className="fields">{children}</div>
      </fieldset>
    </CardBody>
  );
}

// A page without a form.
import type { ReactNode } from 'react';
import { Card, CardBody } from './card.tsx';
import { Icon, type IconName } from './icon.tsx';

interface StatementProps {
  icon: IconName;
  heading: ReactNode;
  children: ReactNode;
}

export function Statement({ icon, heading, children }: StatementProps): ReactNode {
  return (
    <Card>
      <CardBody>
        <div className="statement">
          <span className="statement-icon">
            <Icon name={icon} />
          </span>
          <h1>{heading}</h1>
          {children}
        </div>
      </CardBody>
    </Card>
  );
}

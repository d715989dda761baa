// The white card around a page's content: a body, and bands and strips between rules.
import type { ReactNode } from 'react';

export function Card({ children }: { children: ReactNode }): ReactNode {
  return <div className="card">{children}</div>;
}

export function CardBody({ children }: { children: ReactNode }): ReactNode {
  return <div className="card-body">{children}</div>;
}

/** The tinted strip that holds the primary action. */
export function CardStrip({ children }: { children: ReactNode }): ReactNode {
  return <div className="card-strip">{children}</div>;
}

/** A quieter row below the body. */
export function CardFoot({ children }: { children: ReactNode }): ReactNode {
  return <div className="card-foot">{children}</div>;
}

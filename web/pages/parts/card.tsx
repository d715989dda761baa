import type { ReactNode } from 'react';

export function Card({ children }: { children: ReactNode }): ReactNode {
  return <div className="card">{children}</div>;
}

export function CardBody({ children }: { children: ReactNode }): ReactNode {
  return <div className="card-body">{children}</div>;
}

export function CardStrip({ children }: { children: ReactNode }): ReactNode {
  return <div className="card-strip">{children}</div>;
}

export function CardFoot({ children }: { children: ReactNode }): ReactNode {
  return <div className="card-foot">{children}</div>;
}

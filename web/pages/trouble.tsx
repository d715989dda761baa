import type { ReactNode } from 'react';
import { ButtonLink } from './parts/button.tsx';
import { Countdown } from './parts/countdown.tsx';
import { useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { RequestId } from './parts/notice.tsx';
import { Statement } from './parts/statement.tsx';
import type { ErrorPage, ProblemPage, WaitPage } from './props.ts';

export function ErrorView({ page }: { page: ErrorPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('trouble.heading')}>
      <Statement icon="alert" heading={say('trouble.heading')}>
        <p>{say('trouble.text')}</p>
        <RequestId id={page.requestId} />
      </Statement>
    </Layout>
  );
}

export function WaitView({ page }: { page: WaitPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('trouble.waitHeading')}>
      <Statement icon="clock" heading={say('trouble.waitHeading')}>
        <p>
          <Countdown k="trouble.waitText" seconds={page.seconds} then="reload" />
        </p>
      </Statement>
    </Layout>
  );
}

export function ProblemView({ page }: { page: ProblemPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('trouble.problemHeading')}>
      <Statement icon="alert" heading={say('trouble.problemHeading')}>
        <p>{page.sentence}</p>
        {page.backUrl !== null && <ButtonLink href={page.backUrl}>{say('trouble.back')}</ButtonLink>}
        {page.requestId !== null && <RequestId id={page.requestId} />}
      </Statement>
    </Layout>
  );
}

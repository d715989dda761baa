// An address is confirmed after the files have arrived, so that nothing is sent twice.
import type { ReactNode } from 'react';
import { visibleText } from '../visible.ts';
import type { DropField, DropPage, DropProblem, FileProblem } from './delivery-props.ts';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { Facts } from './parts/facts.tsx';
import { Field, FixedValue, TextArea } from './parts/field.tsx';
import { fileProblemText } from './parts/file-problem.ts';
import { ErrorSummary, Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { hasLimits, LimitFacts } from './parts/limit-facts.tsx';
import { Notice } from './parts/notice.tsx';
import { SendStrip } from './parts/send-strip.tsx';
import { UploadArea } from './parts/upload-area.tsx';
import { Paragraphs, PersonText, UserText } from './parts/user-text.tsx';

type Errors = Partial<Record<DropField, string>>;

/** On the page and in the summary. */
const fieldOrder: DropField[] = ['files', 'email', 'name', 'subject', 'message'];

export function DropView({ page }: { page: DropPage }): ReactNode {
  const say = useText();
  const { locale } = useFrame();
  const errorTexts = page.problems.map((problem) => ({
    field: problem.field,
    sentence: 'file' in problem ? fileProblemText(problem, page.limits, locale) : sentenceOf(problem, say),
  }));
  const summary = fieldOrder.flatMap((field) => errorTexts.filter((error) => error.field === field));
  const fileErrors = summary.filter(({ field }) => field === 'files').map(({ sentence }) => sentence);
  const errors: Errors = Object.fromEntries(summary.map(({ field, sentence }) => [field, sentence]));
  return (
    <Layout title={titleOf(page, say)} hasErrors={summary.length > 0} isRecipientPage>
      <ErrorSummary errors={summary} />
      {page.isReadyToSend && (
        <Notice tone="success">
          <p>{say('drop.readyToSend')}</p>
        </Notice>
      )}
      <Card>
        <CardBody>
          {page.owner && page.title !== null && (
            <p className="from">
              <PersonText person={page.owner} />
            </p>
          )}
          <h1>
            <Heading page={page} />
          </h1>
          {page.intro !== '' && <Paragraphs>{page.intro}</Paragraphs>}
        </CardBody>
        {hasLimits(page.limits) && (
          <CardFoot>
            <Facts>
              <LimitFacts limits={page.limits} />
            </Facts>
          </CardFoot>
        )}
      </Card>
      <Form form={page.form} isMultipart>
        <Card>
          <UploadArea page={page} errors={fileErrors} />
          <CardBody>
            <div className="fields">
              <SenderFields page={page} errors={errors} />
            </div>
          </CardBody>
          <SendStrip label={say('drop.submit')} smallPrint={<SmallPrint page={page} />} />
        </Card>
      </Form>
    </Layout>
  );
}

function Heading({ page }: { page: DropPage }): ReactNode {
  const say = useText();
  if (page.title !== null) return <UserText>{page.title}</UserText>;
  if (page.owner) return <Say k="drop.heading" with={{ name: <UserText>{page.owner.name}</UserText> }} />;
  return say('drop.headingPlain');
}

function titleOf(page: DropPage, say: ReturnType<typeof useText>): string {
  if (page.title !== null) return visibleText(page.title);
  return page.owner ? say('drop.heading', { name: visibleText(page.owner.name) }) : say('drop.headingPlain');
}

function SenderFields({ page, errors }: { page: DropPage; errors: Errors }): ReactNode {
  const say = useText();
  const { values } = page;
  return (
    <>
      {page.provenAddress === null ? (
        <Field
          name="email"
          type="email"
          label={say('setup.email')}
          help={page.needsConfirmation ? say('drop.emailConfirmed') : say('drop.emailHelp')}
          value={values.email}
          error={errors.email}
          autoComplete="email"
          autoCapitalize="none"
        />
      ) : (
        <FixedValue
          label={say('setup.email')}
          value={<UserText>{page.provenAddress}</UserText>}
          reason={say('drop.emailProven')}
        />
      )}
      <Field
        name="name"
        label={say('setup.name')}
        value={values.name}
        error={errors.name}
        autoComplete="name"
        autoCapitalize="words"
        isOptional
      />
      <Field name="subject" label={say('drop.subject')} value={values.subject} error={errors.subject} isOptional />
      <TextArea
        name="message"
        label={say('drop.message')}
        value={values.message}
        error={errors.message}
        rows={4}
        isOptional
      />
    </>
  );
}

function SmallPrint({ page }: { page: DropPage }): ReactNode {
  const frame = useFrame();
  const organisation = <UserText>{frame.organisationName ?? frame.productName}</UserText>;
  return page.owner ? (
    <Say k="drop.access" with={{ organisation, name: <UserText>{page.owner.name}</UserText> }} />
  ) : (
    <Say k="drop.accessPlain" with={{ organisation }} />
  );
}

function sentenceOf(problem: Exclude<DropProblem, FileProblem>, say: ReturnType<typeof useText>): string {
  if ('sentence' in problem) return problem.sentence;
  switch (problem.field) {
    case 'email':
      return problem.reason === 'missing' ? say('setup.emailMissing') : say('setup.emailInvalid');
    case 'subject':
      return say('drop.subjectMissing');
    case 'files':
      return say('upload.noFiles');
  }
}

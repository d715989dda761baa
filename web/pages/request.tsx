// Works without script. Only a delivery uses the request up.
import type { ReactNode } from 'react';
import { visibleText } from '../visible.ts';
import type { FileProblem, RequestField, RequestPage, RequestProblem } from './delivery-props.ts';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { Fact, Facts, UntilFact } from './parts/facts.tsx';
import { FixedValue, TextArea } from './parts/field.tsx';
import { fileProblemText } from './parts/file-problem.ts';
import { ErrorSummary, Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { LimitFacts } from './parts/limit-facts.tsx';
import { SendStrip } from './parts/send-strip.tsx';
import { UploadArea } from './parts/upload-area.tsx';
import { Paragraphs, PersonText, UserText } from './parts/user-text.tsx';

export function RequestView({ page }: { page: RequestPage }): ReactNode {
  const say = useText();
  const name = <UserText>{page.asker.name}</UserText>;
  const errors = useErrors(page);
  return (
    <Layout
      title={say('request.heading', { name: visibleText(page.asker.name) })}
      hasErrors={errors.length > 0}
      isRecipientPage
    >
      <ErrorSummary errors={errors} />
      <Card>
        <CardBody>
          <p className="from">
            <PersonText person={page.asker} />
          </p>
          <h1>
            <Say k="request.heading" with={{ name }} />
          </h1>
          <RequestText page={page} />
        </CardBody>
        <CardFoot>
          <Facts>
            <UntilFact until={page.until} />
            <Fact icon="repeat">{page.isReusable ? say('request.reusable') : say('request.once')}</Fact>
            <LimitFacts limits={page.limits} />
          </Facts>
        </CardFoot>
      </Card>
      <Form form={page.form} isMultipart>
        <Card>
          <UploadArea page={page} errors={at('files', errors)} />
          <CardBody>
            <div className="fields">
              <TextArea
                name="note"
                label={<Say k="request.note" with={{ name }} />}
                value={page.values.note}
                error={at('note', errors)[0]}
                rows={3}
                isOptional
              />
              <FixedValue
                label={say('request.address')}
                value={<UserText>{page.address}</UserText>}
                reason={say('request.addressReason')}
              />
            </div>
          </CardBody>
          <SendStrip
            label={<Say k="request.submit" with={{ name }} />}
            smallPrint={<Say k={page.mayBeForwarded ? 'request.accessShared' : 'request.access'} with={{ name }} />}
          />
        </Card>
      </Form>
    </Layout>
  );
}

function RequestText({ page }: { page: RequestPage }): ReactNode {
  if (page.subject === '' && page.text === '') return null;
  return (
    <div className="request-text">
      {page.subject !== '' && (
        <p>
          <strong>
            <UserText>{page.subject}</UserText>
          </strong>
        </p>
      )}
      {page.text !== '' && <Paragraphs>{page.text}</Paragraphs>}
    </div>
  );
}

interface FieldError {
  field: RequestField;
  sentence: string;
}

function useErrors({ problems, limits }: RequestPage): FieldError[] {
  const say = useText();
  const { locale } = useFrame();
  return problems.map((problem) => ({
    field: problem.field,
    sentence: 'file' in problem ? fileProblemText(problem, limits, locale) : sentenceOf(problem, say),
  }));
}

function at(field: RequestField, errors: FieldError[]): string[] {
  return errors.filter((error) => error.field === field).map((error) => error.sentence);
}

function sentenceOf(problem: Exclude<RequestProblem, FileProblem>, say: ReturnType<typeof useText>): string {
  if ('sentence' in problem) return problem.sentence;
  return say('upload.noFiles');
}

// Permitted and other addresses get the same response.
import type { ReactNode } from 'react';
import { days, minutes } from '../formats.ts';
import { Button } from './parts/button.tsx';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { Countdown } from './parts/countdown.tsx';
import { Checkbox, Field } from './parts/field.tsx';
import { Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Icon } from './parts/icon.tsx';
import { Layout } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { PasskeyButton } from './parts/passkey-button.tsx';
import { PersonText, UserText } from './parts/user-text.tsx';
import type { AddressStep, CodeStep, ConfirmAddressPage, ContinueStep } from './props.ts';

export function ConfirmAddressView({ page }: { page: ConfirmAddressPage }): ReactNode {
  const { step } = page;
  switch (step.is) {
    case 'address':
      return <AddressView page={page} step={step} />;
    case 'code':
      return <CodeView page={page} step={step} />;
    case 'continue':
      return <ContinueView page={page} step={step} />;
  }
}

function AddressView({ page, step }: { page: ConfirmAddressPage; step: AddressStep }): ReactNode {
  const say = useText();
  const problem = step.problem === null ? null : addressProblem(step.problem, say);
  return (
    <Layout title={say('confirm.heading')} hasErrors={problem !== null} isRecipientPage>
      {step.notice && <StepNotice notice={step.notice} />}
      <Card>
        <CardBody>
          <Sender page={page} />
          <h1>{say('confirm.heading')}</h1>
          <p>
            <Why page={page} />
          </p>
          <Form form={step.form} className="fields">
            {step.knownAddress === null ? (
              <Field
                name="address"
                type="email"
                label={say('confirm.address')}
                help={page.purpose === 'open' ? <AddressHelp page={page} /> : undefined}
                value={step.address}
                error={problem}
                hasFocus={problem !== null}
                autoComplete="email"
                autoCapitalize="none"
              />
            ) : (
              <div className="field">
                <p className="label">{say('confirm.known')}</p>
                <p>
                  <strong>
                    <UserText>{step.knownAddress}</UserText>
                  </strong>
                </p>
              </div>
            )}
            <Button icon="mail">{say('confirm.send')}</Button>
          </Form>
          <PasskeyOffer page={page} />
        </CardBody>
        <OtherActions otherAddressUrl={step.otherAddressUrl} signInUrl={page.signInUrl} />
      </Card>
    </Layout>
  );
}

function CodeView({ page, step }: { page: ConfirmAddressPage; step: CodeStep }): ReactNode {
  const { locale } = useFrame();
  const say = useText();
  const problem = codeProblem(step.problem, say);
  const time = minutes(locale, step.validMinutes);
  return (
    <Layout title={say('confirm.codeHeading')} hasErrors={problem !== null} isRecipientPage>
      <Card>
        <CardBody>
          <Sender page={page} />
          <h1>{say('confirm.codeHeading')}</h1>
          <p>
            <CodeSent page={page} sentTo={step.sentTo} time={time} />
          </p>
          <Form form={step.form} className="fields">
            <Field
              name="code"
              label={say('confirm.code')}
              help={say('confirm.codeHelp')}
              error={problem}
              hasFocus
              isCode
              value={step.code}
              autoComplete="one-time-code"
              autoCapitalize="characters"
              maxLength={32}
            />
            <SharedComputer rememberDays={step.rememberDays} />
            <Button>{say('confirm.continue')}</Button>
          </Form>
          <PasskeyOffer page={page} />
        </CardBody>
        <OtherActions otherAddressUrl={step.otherAddressUrl} signInUrl={page.signInUrl} resend={step.resend} />
      </Card>
    </Layout>
  );
}

function ContinueView({ page, step }: { page: ConfirmAddressPage; step: ContinueStep }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('confirm.heading')} isRecipientPage>
      <Card>
        <CardBody>
          <Sender page={page} />
          <h1>{say('confirm.heading')}</h1>
          <p>
            {page.purpose === 'open' ? (
              say('confirm.continueText', { files: page.fileCount })
            ) : (
              <Say k="confirm.continueDelivery" with={{ name: <UserText>{page.sharedBy?.name ?? ''}</UserText> }} />
            )}
          </p>
          <Form form={step.form} className="fields">
            <SharedComputer rememberDays={step.rememberDays} />
            <Button>
              <span>
                <Say k="confirm.continueAs" with={{ address: <UserText>{step.address}</UserText> }} />
              </span>
            </Button>
          </Form>
        </CardBody>
        <OtherActions otherAddressUrl={step.otherAddressUrl} signInUrl={page.signInUrl} />
      </Card>
    </Layout>
  );
}

function PasskeyOffer({ page: { passkey } }: { page: ConfirmAddressPage }): ReactNode {
  const say = useText();
  if (passkey === null) return null;
  return (
    <Form form={passkey.form} className="fields">
      {passkey.problem !== null && (
        <Notice tone="danger">
          <p>{passkey.problem}</p>
        </Notice>
      )}
      {passkey.isRequired && <p className="help">{say('passkey.required')}</p>}
      <PasskeyButton part={passkey.passkey} isOptional={!passkey.isRequired}>
        {say('passkey.use')}
      </PasskeyButton>
    </Form>
  );
}

function SharedComputer({ rememberDays }: { rememberDays: number }): ReactNode {
  const { locale } = useFrame();
  const say = useText();
  const help = say('confirm.sharedHelp', { time: days(locale, rememberDays) });
  return <Checkbox name="shared_computer" label={say('confirm.shared')} help={help} />;
}

function StepNotice({ notice }: { notice: NonNullable<AddressStep['notice']> }): ReactNode {
  const say = useText();
  if (notice.is === 'wait') {
    return (
      <Notice tone="warning">
        <p>
          <Countdown k="confirm.tooManyCodes" seconds={notice.seconds} then="reload" />
        </p>
      </Notice>
    );
  }
  const sentences = {
    elsewhere: say('confirm.codeElsewhere'),
    'link-old': say('confirm.linkOld'),
    'link-used': say('confirm.linkUsed'),
  };
  return (
    <Notice tone="info">
      <p>{sentences[notice.is]}</p>
    </Notice>
  );
}

function CodeSent({ page, sentTo, time }: { page: ConfirmAddressPage; sentTo: string; time: string }): ReactNode {
  const say = useText();
  const { canSendMail } = useFrame();
  const address = <UserText>{sentTo}</UserText>;
  if (canSendMail === false) return say('confirm.noMail');
  if (page.purpose === 'open') return <Say k="confirm.codeSent" with={{ files: page.fileCount, address, time }} />;
  const name = <UserText>{page.sharedBy?.name ?? ''}</UserText>;
  return <Say k="confirm.codeSentDelivery" with={{ address, name, time }} />;
}

function Sender({ page }: { page: ConfirmAddressPage }): ReactNode {
  const say = useText();
  if (page.purpose === 'deliver') return null;
  if (!page.sharedBy && page.subject === null) return null;
  return (
    <div className="from">
      {page.sharedBy && (
        <p>
          <Say k="link.sharedBy" with={{ person: <PersonText person={page.sharedBy} /> }} />
        </p>
      )}
      {page.subject !== null && (
        <p>
          <span className="visually-hidden">{say('confirm.subject')} </span>
          <UserText>{page.subject}</UserText>
        </p>
      )}
    </div>
  );
}

function Why({ page }: { page: ConfirmAddressPage }): ReactNode {
  if (page.purpose === 'deliver')
    return <Say k="confirm.whyDelivery" with={{ name: <UserText>{page.sharedBy?.name ?? ''}</UserText> }} />;
  const { fileCount: files, sharedBy } = page;
  const name = sharedBy && <UserText>{sharedBy.name}</UserText>;
  switch (page.audience) {
    case 'recipientsAndLocal':
      return <Say k="confirm.whyLocal" with={{ files, organisation: <Organisation /> }} />;
    case 'recipientsAndDomains':
      return <Say k="confirm.whyDomains" with={{ files }} />;
    case 'recipientsOnly':
      return <Say k="confirm.whyRecipients" with={{ files, name }} />;
    default:
      return name === null ? (
        <Say k="confirm.whyAnyonePlain" with={{ files }} />
      ) : (
        <Say k="confirm.whyAnyone" with={{ files, name }} />
      );
  }
}

/** Names the addresses that get a code: people with an account at this service sign in. */
function AddressHelp({ page: { audience, fileCount: files } }: { page: ConfirmAddressPage }): ReactNode {
  const say = useText();
  switch (audience) {
    case 'recipientsAndLocal':
      return <Say k="confirm.addressHelpLocal" with={{ files, organisation: <Organisation /> }} />;
    case 'recipientsOnly':
      return say('confirm.addressHelpRecipients', { files });
    case 'recipientsAndDomains':
      return say('confirm.addressHelpDomains', { files });
    default:
      return say('confirm.addressHelpAnyone');
  }
}

function Organisation(): ReactNode {
  const { organisationName, productName } = useFrame();
  return <UserText>{organisationName ?? productName}</UserText>;
}

interface OtherActionsProps {
  otherAddressUrl: string | null;
  signInUrl: string | null;
  resend?: CodeStep['resend'];
}

function OtherActions({ otherAddressUrl, signInUrl, resend }: OtherActionsProps): ReactNode {
  const say = useText();
  if (otherAddressUrl === null && signInUrl === null && !resend) return null;
  const isWaiting = resend !== undefined && resend.waitSeconds > 0;
  return (
    <CardFoot>
      {isWaiting && (
        <p className={resend.isRefused ? 'line state-warning' : 'help'} data-waiting="">
          {resend.isRefused && <Icon name="clock" />}
          <span>
            <Countdown
              k={resend.isRefused ? 'confirm.notSent' : 'confirm.newCodeWait'}
              seconds={resend.waitSeconds}
              then="allow"
            />
          </span>
        </p>
      )}
      <ul className="ways">
        {resend && (
          <li>
            <Form form={resend.form}>
              <button type="submit" className="button button-quiet" data-waits={isWaiting ? '' : undefined}>
                {say('confirm.newCode')}
              </button>
            </Form>
          </li>
        )}
        {otherAddressUrl !== null && (
          <li>
            <a href={otherAddressUrl}>{say('confirm.otherAddress')}</a>
          </li>
        )}
        {signInUrl !== null && (
          <li>
            <a href={signInUrl}>{say('confirm.signIn')}</a>
          </li>
        )}
      </ul>
    </CardFoot>
  );
}

type Texts = ReturnType<typeof useText>;

function addressProblem(problem: NonNullable<AddressStep['problem']>, say: Texts): string {
  if ('sentence' in problem) return problem.sentence;
  return {
    missing: say('confirm.addressMissing'),
    invalid: say('confirm.addressInvalid'),
  }[problem.reason];
}

function codeProblem(problem: CodeStep['problem'], say: Texts): string | null {
  if (problem === null) return null;
  switch (problem.is) {
    case 'wrong':
      return say('confirm.codeWrong', { tries: problem.attemptsLeft });
    case 'old':
      return say('confirm.codeOld');
    case 'used':
      return say('confirm.codeUsed');
    case 'too-many':
      return say('confirm.codeTooMany');
    case 'missing':
      return say('confirm.codeMissing');
  }
}

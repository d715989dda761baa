// The session has ended while the app is open: sign in again without leaving. Everything waits behind it and then continues.

import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isSharedBrowser } from '../../uploads/shared-browser.ts';
import { basePath } from '../host-page.ts';
import { useMe } from '../me.ts';
import { readMe, session } from '../session.ts';
import { useText } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

type Step = 'password' | 'code';

export function SignInAgain() {
  const { isEnded } = useSyncExternalStore(session.listen, session.read);
  // Signed in by another tab, perhaps: a look when people come back.
  useEffect(() => {
    if (!isEnded) return;
    const look = () => void readMe().catch(() => {});
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [isEnded]);
  return isEnded ? <SignIn /> : null;
}

function SignIn() {
  const text = useText('shell');
  const me = useMe();
  const [step, setStep] = useState<Step>('password');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const page = useRef<Document | null>(null);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('secret') ?? '');
    setBusy(true);
    setProblem(null);
    try {
      page.current = await trySecret(step, me.email, typed, step === 'code' ? page.current : null);
      const isCodeAsked = page.current.querySelector('[name="code"]') !== null;
      if ((await readMe()) !== null) return;
      const next: Step = isCodeAsked ? 'code' : 'password';
      if (next === step) setProblem(text('signInWrong'));
      // The right password is good for ten minutes; then the page asks for it again.
      else if (next === 'password') setProblem(text('signInLate'));
      setStep(next);
    } catch {
      setProblem(text('unreachable'));
    }
    setBusy(false);
  };

  return (
    <Dialog title={text('signInAgainTitle')} holdsWork>
      <p>{text('signInAgainText')}</p>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          key={step}
          label={text(step === 'password' ? 'password' : 'code')}
          help={text('signInAs', { email: me.email })}
          name="secret"
          type={step === 'password' ? 'password' : 'text'}
          autoComplete={step === 'password' ? 'current-password' : 'one-time-code'}
          problem={problem}
          isFocusedFirst
          action={
            <Button type="submit" variant="primary" isBusy={isBusy}>
              {text('signIn')}
            </Button>
          }
        />
      </form>
      <p>
        <a href={`${basePath}/sign-in`} target="_blank" rel="noreferrer">
          {text('signInElsewhere')}
        </a>{' '}
        {text('signInElsewhereHelp')}
      </p>
    </Dialog>
  );
}

/** The sign-in page as it is shown now: its form is filled in and sent for the person, with all it carries. */
async function readPage(request: Promise<Response>): Promise<Document> {
  const response = await request;
  // Signed in: the answer is the page of the app itself, with styles that the policy of this page refuses.
  const isApp = new URL(response.url).pathname.startsWith(`${basePath}/app`);
  return new DOMParser().parseFromString(isApp ? '' : await response.text(), 'text/html');
}

/** Sends the secret and returns the page that follows, which shows the next step. */
async function trySecret(step: Step, email: string, typed: string, shown: Document | null): Promise<Document> {
  const headers = { accept: 'text/html' };
  const page = shown ?? (await readPage(fetch(`${basePath}/sign-in?to=/app`, { headers })));
  const form = page.querySelector<HTMLFormElement>('main form');
  const hidden = Array.from(form?.querySelectorAll<HTMLInputElement>('input[type="hidden"]') ?? []);
  const fields = new URLSearchParams(hidden.map(({ name, value }) => [name, value]));
  if (step === 'code') fields.set('code', typed);
  else {
    fields.set('email', email);
    fields.set('password', typed);
    if (isSharedBrowser()) fields.set('shared_computer', '1');
  }
  const action = form?.getAttribute('action') ?? `${basePath}/sign-in`;
  return readPage(fetch(action, { method: 'POST', headers, body: fields }));
}

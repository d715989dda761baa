// Signs in without leaving the app; calls wait and then continue.

import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isSharedBrowser } from '../../uploads/shared-browser.ts';
import { basePath } from '../host-page.ts';
import { useMe } from '../me.ts';
import { fetchMe, session } from '../session.ts';
import { useText } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

type Step = 'password' | 'code';

export function SignInAgain() {
  const { isEnded } = useSyncExternalStore(session.listen, session.read);
  // Another tab may have signed in.
  useEffect(() => {
    if (!isEnded) return;
    const check = () => void fetchMe().catch(() => {});
    addEventListener('focus', check);
    return () => removeEventListener('focus', check);
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
      if ((await fetchMe()) !== null) return;
      const next: Step = isCodeAsked ? 'code' : 'password';
      if (next === step) setProblem(text('signInWrong'));
      // The server asks for the password again after ten minutes.
      else if (next === 'password') setProblem(text('signInLate'));
      setStep(next);
    } catch {
      setProblem(text('unreachable'));
    }
    setBusy(false);
  };

  return (
    <Dialog title={text('signInAgainTitle')} hasInput>
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

/** Its form, with hidden fields, is filled in and sent. */
async function readPage(request: Promise<Response>): Promise<Document> {
  const response = await request;
  // The response after sign-in is the app page, whose styles this page's policy refuses.
  const isApp = new URL(response.url).pathname.startsWith(`${basePath}/app`);
  return new DOMParser().parseFromString(isApp ? '' : await response.text(), 'text/html');
}

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

// The 6 digits of an authenticator app.
import type { ReactNode } from 'react';
import { Field } from './field.tsx';
import { useText } from './frame.tsx';

interface CodeFieldProps {
  problem: { is: 'missing' } | { is: 'wrong' } | { is: 'sentence'; sentence: string } | null;
  hasFocus?: boolean;
  acceptsRecovery?: boolean;
}

export function CodeField({ problem, hasFocus, acceptsRecovery }: CodeFieldProps): ReactNode {
  const say = useText();
  return (
    <Field
      name="code"
      label={say('totp.code')}
      help={say(acceptsRecovery ? 'totp.codeOrRecovery' : 'totp.codeHelp')}
      error={sentenceOf(problem, say)}
      hasFocus={hasFocus || problem !== null}
      isCode
      inputMode={acceptsRecovery ? undefined : 'numeric'}
      autoComplete="one-time-code"
      maxLength={32}
    />
  );
}

function sentenceOf(problem: CodeFieldProps['problem'], say: ReturnType<typeof useText>): string | null {
  if (problem === null) return null;
  if (problem.is === 'sentence') return problem.sentence;
  return problem.is === 'missing' ? say('totp.codeMissing') : say('totp.codeWrong');
}

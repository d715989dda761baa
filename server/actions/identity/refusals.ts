// Refusals of sign-ins through services, in words that say what to do.
import { invalid, type Problem } from '../../domain/problem.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';

const sentences = {
  no_account: '{service} knows you, but you have no account here. Ask your administrator for one.',
  no_group: 'None of your groups at {service} gives you an account here. Ask your administrator.',
  groups_absent: '{service} didn’t say which groups you are in, so you get no account here. Ask your administrator.',
  groups_overage:
    '{service} left out your groups because there are too many. Ask your administrator to send only groups that are assigned to Waybill.',
  link_needs_code:
    'Your address was never confirmed here, so the password is not enough. Use the code that is e-mailed to you.',
  link_wrong_code: 'The code of your authenticator app is missing or not right.',
  no_subject: '{service} didn’t say who you are. Ask your administrator.',
  no_address: '{service} gave no e-mail address for you. Ask your administrator.',
  address_taken: 'Your e-mail address belongs to an account that is connected to someone else. Ask your administrator.',
  disabled: 'Your account is switched off. Ask your administrator.',
  proof_needed:
    'There is an account with your address already. Sign in with a browser once to connect it with {service}.',
  changed: 'Your account has just changed. Sign in again.',
  unreachable: '{service} can’t be reached at the moment. Try again later, or tell your administrator.',
  denied: '{service} didn’t sign you in. Try again, or ask your administrator.',
  bad_answer: 'The answer of {service} could not be accepted. Try again, or tell your administrator.',
  expired: 'This sign-in took too long or began in another browser. Start again.',
} as const;

/** By code, for the list of attempts; empty for none. */
export function refusalWords(code: string, service: Pick<SignInService, 'name'>): string {
  const reason = code.replace(/^sign_in\./, '');
  return Object.hasOwn(sentences, reason)
    ? sentences[reason as SignInRefusal].replace('{service}', service.name)
    : code;
}

export type SignInRefusal = keyof typeof sentences;

export function signInRefusal(refused: SignInRefusal, service: Pick<SignInService, 'name'>): Problem {
  const sentence = sentences[refused].replace('{service}', service.name);
  return invalid(`sign_in.${refused}`, sentence).withValues({ service: service.name });
}

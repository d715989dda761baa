import type { TextKey } from '../../../texts.ts';
import { levels } from '../../parts/group-settings.ts';

type RemarkKey = TextKey<'admin/group-editor'>;
type Values = (key: string) => unknown;

/** By the first setting of the row. */
export type Remarks = Partial<Record<string, RemarkKey>>;

export function conflictsIn(value: Values): Remarks {
  const found: Remarks = {};
  const number = (key: string) => Number(value(key) ?? 0);
  for (const noun of ['message', 'filelink'])
    if (number(`${noun}_default_expiration`) > number(`${noun}_max_expiration`))
      found[`${noun}_default_expiration`] = 'expiryPair';
  const [byDefault, most] = [number('message_default_expires_after'), number('message_max_expires_after')];
  if (most > 0 && (byDefault === 0 || byDefault > most)) found.message_default_expires_after = 'downloadsPair';
  if (value('permitted_extensions') !== '' && value('blocked_extensions') !== '')
    found.permitted_extensions = 'typesBoth';
  const level = value('message_default_authorization');
  const offered = levels.find((one) => one.value === level)?.key;
  if (offered !== undefined && value(offered) !== true) found.message_default_authorization = 'levelPair';
  if (level === 0 && value('message_default_private_message') === true)
    found.message_default_private_message = 'privatePair';
  return found;
}

export function warnings(value: Values): Remarks {
  return {
    ...(value('message_can_use_anyone') === true ? { message_default_authorization: 'levelOpen' } : {}),
    ...(value('permitted_extensions') === '' && value('blocked_extensions') === ''
      ? { blocked_extensions: 'typesAll' }
      : {}),
  } as Remarks;
}

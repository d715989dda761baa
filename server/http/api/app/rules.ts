// What a group permits, as facts from which the app forms sentences.
import { type Policy, permittedLevels } from '../../../domain/policy.ts';

interface Membership {
  groupName: string;
  isLocal: boolean;
  policy: Policy;
}

export function rulesOf({ groupName, isLocal, policy }: Membership, storedBytes: number) {
  const byDefault = policy.message_default_authorization;
  return {
    groupName,
    isLocal,
    account: { ...policy, storedBytes },
    files: policy,
    messages: {
      ...policy,
      message_recipient_domains: [...policy.message_recipient_domains],
      authorizations: policy.message_can_change_authorization ? permittedLevels(policy) : [byDefault],
    },
    links: policy,
    requests: policy,
    drop: policy,
  };
}

// Undefined fields stay unchanged.

export interface UserInput {
  email?: string | undefined;
  name?: string | undefined;
  groupId?: string | undefined;
  password?: string | undefined;
  isInvited?: boolean | undefined;
  isDisabled?: boolean | undefined;
  senderAliases?: string | string[] | undefined;
  recipientAliases?: string | string[] | undefined;
  defaultSenderAlias?: string | undefined;
  /** Why a System Administrator sets these addresses. */
  reason?: string | undefined;
  /** For the audit log only; does not vouch for addresses. */
  note?: string | undefined;
}

// What a script can say about a person; what is undefined is left as it is.

export interface UserInput {
  email?: string | undefined;
  name?: string | undefined;
  groupId?: string | undefined;
  password?: string | undefined;
  /** Mails a new person a link to choose a password. */
  isInvited?: boolean | undefined;
  isDisabled?: boolean | undefined;
  senderAliases?: string | string[] | undefined;
  recipientAliases?: string | string[] | undefined;
  defaultSenderAlias?: string | undefined;
  /** Why a System Administrator sets these addresses. */
  reason?: string | undefined;
  /** Why, for the log alone: it vouches for no address. */
  note?: string | undefined;
}

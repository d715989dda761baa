// Tables of people and groups that a SCIM client manages. The conventions are those of schema.ts.

/** Tokens of SCIM clients; of a token only the hash is stored. */
export interface ScimTokensTable {
  id: string;
  token_hash: Buffer;
  name: string;
  /** The administrator who created it. */
  created_by: string;
  created_at: number;
  last_used_at: number | null;
}

/** People that a SCIM client manages. The id of the resource is that of the account. */
export interface ScimUsersTable {
  user_id: string;
  /** Their identity at the service that SCIM belongs to; empty if they must prove that the account is theirs. */
  identity_id: string;
  user_name: string;
  /** For comparisons without case. */
  user_name_folded: string;
  external_id: string | null;
  /** Further attributes as the client sent them, as JSON. */
  attributes: string;
  /** Increases with every change. */
  version: number;
  created_at: number;
  updated_at: number;
  /** When the loss of a directory group last moved the person; null if never. */
  moved_at: number | null;
}

/** Directory groups that a SCIM client manages. */
export interface ScimGroupsTable {
  id: string;
  display_name: string;
  /** For comparisons without case. */
  display_name_folded: string;
  external_id: string | null;
  /** Increases with every change. */
  version: number;
  created_at: number;
  updated_at: number;
}

/** Members of the groups of a SCIM client. */
export interface ScimMembersTable {
  group_id: string;
  /** Id of a person or a group. */
  member_id: string;
  member_kind: 'User' | 'Group';
}

// Events as webhooks and streams send them: the fields of `GET /admin/events`.
export interface OutgoingPerson {
  id: string;
  email: string;
  name: string;
}

export interface OutgoingEvent {
  id: number;
  /** ISO 8601, UTC. */
  at: string;
  action: string;
  actor_kind: string;
  actor: OutgoingPerson | null;
  owner: OutgoingPerson | null;
  object_kind: string;
  object_id: string;
  facts: Record<string, unknown>;
  remote_ip: string;
  request_id: string;
}

/** Events with the same key are delivered in order. */
export function objectKeyOf({ object_kind: kind, object_id: id }: OutgoingEvent): string {
  return `${kind}/${id}`;
}

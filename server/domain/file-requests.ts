// What a File Request is (state machine SM6).

/** As it is kept; a request whose last day is over stays `open` here. */
export interface StoredRequest {
  id: string;
  ownerId: string;
  /** Who was asked. */
  recipient: string;
  subject: string;
  body: string;
  /** May be answered more than once. */
  isReusable: boolean;
  expiresOn: string;
  expiresAt: number;
  state: 'open' | 'used' | 'closed';
  answeredAt: number | null;
  createdAt: number;
}

/** As it is at an instant. */
export interface FileRequest extends Omit<StoredRequest, 'state'> {
  state: StoredRequest['state'] | 'expired';
}

export function requestAt(request: StoredRequest, now: number): FileRequest {
  return request.state === 'open' && request.expiresAt <= now ? { ...request, state: 'expired' } : request;
}

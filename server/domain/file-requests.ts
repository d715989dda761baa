/** An expired request stays `open` here. */
export interface StoredRequest {
  id: string;
  ownerId: string;
  recipient: string;
  subject: string;
  body: string;
  /** It accepts more than one answer. */
  isReusable: boolean;
  expiresOn: string;
  expiresAt: number;
  state: 'open' | 'used' | 'closed';
  answeredAt: number | null;
  createdAt: number;
}

/** With its state at an instant. */
export interface FileRequest extends Omit<StoredRequest, 'state'> {
  state: StoredRequest['state'] | 'expired';
}

export function requestAt(request: StoredRequest, now: number): FileRequest {
  return request.state === 'open' && request.expiresAt <= now ? { ...request, state: 'expired' } : request;
}

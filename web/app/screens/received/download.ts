// Nothing is counted before the first byte.
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

interface DownloadRequest {
  messageId: string;
  /** Id of one file, or `all`. */
  attachment: string;
}

/** The browser saves the file and the screen stays. */
export function useReceivedDownload(onStarted: () => void): UseMutationResult<unknown, Error, DownloadRequest> {
  const known = useQueryClient();
  return useMutation({
    mutationFn: ({ messageId, attachment }: DownloadRequest) =>
      call('createReceivedTicket', { params: { id: messageId }, body: { attachment } }),
    onSuccess: ({ ticket }) => {
      saveFrom(ticket.url);
      onStarted();
    },
    // The availability has changed.
    onError: () => void known.invalidateQueries({ queryKey: ['received'] }),
  });
}

/** With `download`, a response that is not a file fails in the browser's list instead of replacing the app. */
function saveFrom(url: string): void {
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = '';
  anchor.click();
}
